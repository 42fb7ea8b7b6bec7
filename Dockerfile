# One image for the server, a worker and an agent: the command says which.
#
#   docker build -t evident:0.1.0 .
#   docker run --rm --read-only -v evident:/data -p 7717:7717 evident:0.1.0 server --host 0.0.0.0
#
# It runs as user 10001 and writes to /data alone, so that the root file system may be read-only.
ARG NODE_IMAGE=node:20-bookworm-slim

FROM ${NODE_IMAGE} AS build
WORKDIR /src
COPY . .
# The first brings the tools and builds dist/ from what the lock file names; the second leaves only what runs.
RUN npm ci
RUN npm ci --omit=dev --ignore-scripts \
  # Of the client only kubeconfig and authentication are loaded; every type of the API is 53 MB that nothing reads.
  && rm -rf node_modules/@kubernetes/client-node/dist/gen node_modules/@libsql/*-musl \
  && find node_modules -name '*.map' -delete \
  && mkdir -p /image/app /image/data \
  && cp -r bin dist examples node_modules package.json LICENSE /image/app/ \
  && chown -R 10001:10001 /image/data

FROM ${NODE_IMAGE} AS evident
COPY --from=build /image /
ENV NODE_ENV=production HOME=/data EVIDENT_DATA=/data
WORKDIR /data
USER 10001:10001
EXPOSE 7717
ENTRYPOINT ["node", "/app/bin/evident"]
CMD ["--help"]

# docker build --target server: the same with a health check. Only a server can be asked: a check that passes for a
# worker or an agent, which listen nowhere, would prove nothing.
FROM evident AS server
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.EVIDENT_PORT ?? 7717}/readyz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
CMD ["server", "--host", "0.0.0.0"]

# What is built where no target is named.
FROM evident
