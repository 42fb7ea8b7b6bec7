import childProcess from 'node:child_process';
import { readFileSync } from 'node:fs';
import fs from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import type { ServiceRecord } from '../../src/runtime/supervise/record.ts';
import { type AgentPoint, POINT_VARIABLE } from './agent-points.ts';
import { die } from './die.ts';

/**
 * Loaded before the program (`--import`). Kills the agent while it executes the second command that it acquires. Wraps
 * fetch, rename, spawn and kill, so that the agent itself runs unchanged.
 */
const point = process.env[POINT_VARIABLE] as AgentPoint;
const PROCESSES = 3;
const FIRST_HEARTBEAT = /\/v1\/leases\/([^/]+)\/heartbeat$/;
const leases = new Set<string>();
let processesTouched = 0;
const isSecondCommand = () => leases.size > 1;
const dieAt = (here: AgentPoint) => {
  if (isSecondCommand() && point === here) die();
};
const onProcessTouched = () => {
  if (!isSecondCommand()) return;
  processesTouched += 1;
  if (processesTouched === 1) dieAt('first');
  if (processesTouched === PROCESSES) dieAt('last');
};

const { fetch } = globalThis;
globalThis.fetch = async (input, init) => {
  const { pathname } = new URL(String(input));
  if (pathname === '/v1/evidence') dieAt('unsubmitted');
  const answer = await fetch(input, init);
  if (pathname === '/v1/evidence') dieAt('submitted');
  const [, lease] = FIRST_HEARTBEAT.exec(pathname) ?? [];
  if (lease !== undefined && answer.ok && !leases.has(lease)) {
    leases.add(lease);
    dieAt('acquired');
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
  onProcessTouched();
  return child;
}) as typeof spawn;

const { kill } = process;
process.kill = (pid, signal) => {
  const done = kill.call(process, pid, signal);
  if (signal === 'SIGTERM') onProcessTouched();
  return done;
};
syncBuiltinESMExports();
