import { z } from 'zod';
import { modelSchema } from '../../contract/answers/model.ts';
import { publicModel } from '../../model/model.ts';
import type { ServerContext } from '../context.ts';
import { constantReply } from '../http/constant-reply.ts';
import { Refused } from '../http/problems.ts';
import { type Route, route } from '../http/route.ts';
import { docsPage } from '../pages/docs-page.ts';
import { openApi } from '../pages/open-api.ts';
import { frontPage } from '../pages/plain-pages.ts';
import { sendFile } from '../pages/web.ts';
import { serviceMetrics } from '../reads/service-metrics.ts';

const HTML = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy':
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'self'; connect-src 'self'; frame-ancestors 'none'",
} as const;

const JSON_TYPE = { 'content-type': 'application/json; charset=utf-8' } as const;

/** Routes about the server itself. */
export function metaRoutes(context: ServerContext, all: () => readonly Route[]): Route[] {
  let api: object | null = null;
  const described = () => {
    api ??= openApi(all());
    return api;
  };
  const model = constantReply(JSON_TYPE, () => JSON.stringify(publicModel()));
  const description = constantReply(JSON_TYPE, () => JSON.stringify(described()));
  const docs = constantReply(HTML, () => docsPage(described()));
  return [
    route({
      method: 'GET',
      path: '/v1/model',
      access: 'read',
      summary: 'The status model: states, kinds, transitions, reasons, causes',
      answers: { 200: 'the model' },
      gives: { 200: modelSchema },
      handle: model,
    }),
    route({
      method: 'GET',
      path: '/healthz',
      untagged: true,
      access: 'public',
      summary: 'The process lives',
      answers: { 200: 'ok' },
      gives: { 200: z.object({ ok: z.literal(true) }) },
      handle: () => ({ body: { ok: true } }),
    }),
    route({
      method: 'GET',
      path: '/readyz',
      untagged: true,
      access: 'public',
      summary: 'The store answers and can be written, and work is taken',
      answers: { 200: 'ready', 503: 'unavailable, no_space' },
      gives: { 200: z.object({ ready: z.literal(true), notes: z.array(z.string()) }) },
      handle: async () => {
        if (context.stopping.aborted) throw new Refused('unavailable', 'This server is stopping.', {}, 1);
        if (!(await context.readiness.answers()))
          throw new Refused('unavailable', 'The store does not answer.', {}, 1);
        if (context.readiness.unwritable !== null) throw context.readiness.unwritable;
        // `notes` is part of the answer, and nothing fills it (docs/adr/0013-one-directory-of-files.md).
        return { body: { ready: true, notes: [] } };
      },
    }),
    route({
      method: 'GET',
      path: '/metrics',
      untagged: true,
      access: context.config.metricsPublic ? 'public' : 'inspect',
      summary: 'Prometheus; also while the store is down',
      worksWithoutStore: true,
      answers: { 200: 'text' },
      gives: { 200: { 'text/plain': null } },
      handle: async ({ caller }) => ({
        body:
          (await context.metrics.registry.metrics()) +
          (context.config.metricsPublic ? '' : await serviceMetrics(context.host, caller)),
        headers: { 'content-type': context.metrics.registry.contentType },
      }),
    }),
    route({
      method: 'GET',
      path: '/openapi.json',
      access: 'public',
      summary: 'This API, as OpenAPI 3.1',
      answers: { 200: 'the description' },
      gives: { 200: z.looseObject({ openapi: z.string() }) },
      handle: description,
    }),
    route({
      method: 'GET',
      path: '/docs',
      untagged: true,
      access: 'public',
      summary: 'The same, to browse',
      query: z.object({}),
      answers: { 200: 'a page' },
      gives: { 200: { 'text/html': null } },
      handle: docs,
    }),
    route({
      method: 'GET',
      path: '/',
      untagged: true,
      access: 'public',
      summary: 'The web UI',
      query: z.looseObject({}),
      answers: { 200: 'a page', 307: 'the same page at localhost' },
      gives: { 200: { 'text/html': null } },
      handle: ({ request, reply }) => {
        const page = context.web?.page ?? null;
        if (page === null) return { body: frontPage(), headers: HTML };
        sendFile(request, reply, page, context.localhost);
        return 'sent';
      },
    }),
  ];
}
