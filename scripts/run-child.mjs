import { spawn } from 'node:child_process';
import { ROOT } from './root.mjs';

/**
 * Runs a program from the root with our terminal and returns its exit code.
 *
 * @param {string} program
 * @param {readonly string[]} args
 * @param {NodeJS.ProcessEnv} [env]
 * @returns {Promise<number>}
 */
export function run(program, args, env = process.env) {
  const child = spawn(program, args, { cwd: ROOT, env, stdio: 'inherit' });
  return exitOf(child);
}

/**
 * The same, but its output is kept: for steps that run side by side.
 *
 * @param {string} program
 * @param {readonly string[]} args
 * @returns {Promise<{ code: number, output: string }>}
 */
export async function runQuietly(program, args) {
  const child = spawn(program, args, { cwd: ROOT, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => {
      output += text;
    });
  }
  return { code: await exitOf(child), output };
}

/** @type {Set<import('node:child_process').ChildProcess>} */
const running = new Set();
// Ctrl-C reaches the children through the terminal already; we wait for their own ending.
const wait = () => {};
const pass = () => {
  for (const child of running) child.kill('SIGTERM');
};

/**
 * The signals have one listener each for all children, because Node warns of a leak at the eleventh, and none while no
 * child runs: then they end this process as usual.
 *
 * @param {import('node:child_process').ChildProcess} child
 * @returns {Promise<number>}
 */
function exitOf(child) {
  if (running.size === 0) process.on('SIGINT', wait).on('SIGTERM', pass);
  running.add(child);
  return new Promise((resolve, reject) => {
    child.on('error', (error) => {
      forget(child);
      reject(error);
    });
    child.on('close', (code) => {
      forget(child);
      resolve(code ?? 1);
    });
  });
}

/** @param {import('node:child_process').ChildProcess} child */
function forget(child) {
  if (running.delete(child) && running.size === 0) process.off('SIGINT', wait).off('SIGTERM', pass);
}
