// The least that a web app has to do here: listen where PORT says, and end when it is told to.
import { createServer } from 'node:http';

const server = createServer((request, response) => {
  if (request.url === '/healthz') {
    response.end('ok\n');
    return;
  }
  response.setHeader('content-type', 'text/html; charset=utf-8');
  response.end('<!doctype html><title>Hello</title><h1>Hello from Evident</h1>\n');
});

server.listen(Number(process.env.PORT ?? 3000), () =>
  console.log(`listening on port ${server.address().port}`),
);

process.once('SIGTERM', () => {
  console.log('asked to end: finishing what is under way');
  server.close();
  server.closeIdleConnections();
});
