import { describe, expect, it } from 'vitest';
import { ExecPlugin } from './exec-plugin.ts';

const plugin = (script: string, more: object = {}) =>
  new ExecPlugin({
    apiVersion: 'client.authentication.k8s.io/v1',
    command: 'sh',
    args: ['-c', script],
    ...more,
  });
const answering = (status: object) =>
  `echo '${JSON.stringify({ kind: 'ExecCredential', status }).replaceAll("'", '')}'`;
const never = () => new AbortController().signal;

describe('a plugin that signs in', () => {
  it('gets the question and its environment, and gives a token', async () => {
    const script =
      'echo "{\\"status\\":{\\"token\\":\\"$WHO-$(echo $KUBERNETES_EXEC_INFO | grep -c v1)\\"}}"';
    const answer = await plugin(script, { env: [{ name: 'WHO', value: 'me' }] }).signIn(never());
    expect(answer.headers).toEqual({ authorization: 'Bearer me-1' });
  });

  it('is asked again only once its answer has expired', async () => {
    const script = (expirationTimestamp?: string) =>
      answering({ token: 'TOKEN', expirationTimestamp }).replace('TOKEN', () => "'$$'");
    const tokenOf = async (one: ExecPlugin) => (await one.signIn(never())).headers?.authorization;
    const kept = plugin(script('2999-01-01T00:00:00Z'));
    expect(await tokenOf(kept)).toBe(await tokenOf(kept));
    const expired = plugin(script('2020-01-01T00:00:00Z'));
    expect(await tokenOf(expired)).not.toBe(await tokenOf(expired));
  });

  it.each([
    ['fails', 'echo sign in first >&2; exit 3', 'sh ended with code 3: sign in first'],
    ['fails in silence', 'exit 1', 'sh ended with code 1 and said nothing'],
    ['is killed', 'kill -9 $$', 'sh was ended by SIGKILL and said nothing'],
    ['answers nonsense', 'echo secret-half-token', 'sh does not answer with an ExecCredential'],
  ])('%s, and says how', async (_, script, message) => {
    await expect(plugin(script).signIn(never())).rejects.toThrow(message);
    await expect(plugin(script).signIn(never())).rejects.not.toThrow('secret');
  });

  it('is not there', async () => {
    const missing = new ExecPlugin({ command: '/nowhere/sign-in' });
    await expect(missing.signIn(never())).rejects.toThrow('/nowhere/sign-in cannot be started');
    await expect(new ExecPlugin({}).signIn(never())).rejects.toThrow('names no command');
  });

  it('hangs, and is ended with whatever holds its output', async () => {
    const stop = new AbortController();
    const hanging = plugin('sleep 3 & echo begun >&2; wait').signIn(stop.signal);
    setImmediate(() => stop.abort(new Error('too late')));
    await expect(hanging).rejects.toThrow('too late');
  });
});
