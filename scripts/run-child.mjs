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

/** @param {import('node:child_process').ChildProcess} child @returns {Promise<number>} */
function exitOf(child) {
  // Ctrl-C reaches the child through the terminal already; we wait for its own ending.
  const wait = () => {};
  const pass = () => child.kill('SIGTERM');
  process.on('SIGINT', wait).on('SIGTERM', pass);
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => {
      process.off('SIGINT', wait).off('SIGTERM', pass);
      resolve(code ?? 1);
    });
  });
}
