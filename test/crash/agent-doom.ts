import childProcess from 'node:child_process';
import { readFileSync } from 'node:fs';
import fs from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import type { ServiceRecord } from '../../src/runtime/supervise/record.ts';
import { type AgentPoint, POINT_VARIABLE } from './agent-points.ts';
import { die } from './die.ts';

/**
 * Loaded before the program (`--import`): the second command that an agent takes up is its last. The agent knows nothing
 * of it: what it says, writes, starts and ends is listened to where it leaves the process.
 */
const point = process.env[POINT_VARIABLE] as AgentPoint;
const PROCESSES = 3;
const TAKES_UP = /\/v1\/leases\/([^/]+)\/heartbeat$/;
const taken = new Set<string>();
let touched = 0;
const isLast = () => taken.size > 1;
const dieAt = (here: AgentPoint) => {
  if (isLast() && point === here) die();
};
const touch = () => {
  if (!isLast()) return;
  touched += 1;
  if (touched === 1) dieAt('first');
  if (touched === PROCESSES) dieAt('last');
};

const { fetch } = globalThis;
globalThis.fetch = async (input, init) => {
  const { pathname } = new URL(String(input));
  if (pathname === '/v1/evidence') dieAt('unsaid');
  const answer = await fetch(input, init);
  if (pathname === '/v1/evidence') dieAt('said');
  const [, lease] = TAKES_UP.exec(pathname) ?? [];
  if (lease !== undefined && answer.ok && !taken.has(lease)) {
    taken.add(lease);
    dieAt('taken');
  }
  return answer;
};

const { rename } = fs;
fs.rename = async (from, to) => {
  await rename(from, to);
  if (!String(to).endsWith('.json')) return;
  const { wanted, removed } = JSON.parse(readFileSync(String(to), 'utf8')) as ServiceRecord;
  if ((removed ?? wanted?.stamp)?.revision === 2) dieAt('recorded');
};

const { spawn } = childProcess;
childProcess.spawn = ((...args: Parameters<typeof spawn>) => {
  const child = spawn(...args);
  touch();
  return child;
}) as typeof spawn;

const { kill } = process;
process.kill = (pid, signal) => {
  const done = kill.call(process, pid, signal);
  if (signal === 'SIGTERM') touch();
  return done;
};
syncBuiltinESMExports();
