import type { Server as HttpServer } from 'node:http';
import type { Socket } from 'node:net';
import { createServer, type Server } from 'node:tls';
import type { ConnectionCap } from '../../connections/connection-cap.ts';
import type { Certificates } from './certificates.ts';

/** A client that has not agreed on keys by then is cut. */
const HANDSHAKE_MS = 10_000;

/** The interval at which the files of certificates are looked at. Rejected: watching them, which misses turned links. */
const LOOK_EVERY_MS = 5_000;

/**
 * Speaks TLS and hands each connection to `http`, which serves it as any other. A connection counts towards the cap from
 * its first byte on, not only when its keys are agreed on (F122).
 */
export function tlsListener(certificates: Certificates, http: HttpServer, cap: ConnectionCap): Server {
  const raw = new Map<string, Socket>();
  const server = createServer({
    ...certificates.first,
    handshakeTimeout: HANDSHAKE_MS,
    ALPNProtocols: ['http/1.1'],
    SNICallback: (host, done) => done(null, certificates.contextFor(host)),
  });
  server.on('connection', (socket: Socket) => {
    const peer = peerOf(socket);
    raw.set(peer, socket);
    socket.once('close', () => raw.delete(peer));
    cap.opened(socket);
  });
  server.on('secureConnection', (socket) => {
    const below = raw.get(peerOf(socket));
    if (below !== undefined) cap.closed(below);
    http.emit('connection', socket);
  });
  server.on('tlsClientError', (_, socket) => socket.destroy());
  server.on('error', () => {});
  const looking = setInterval(() => {
    certificates.readAgain();
    if (certificates.first !== undefined) server.setSecureContext(certificates.first);
  }, LOOK_EVERY_MS);
  server.once('close', () => clearInterval(looking));
  looking.unref();
  return server;
}

const peerOf = ({ remoteAddress, remotePort }: Socket) => `${remoteAddress} ${remotePort}`;
