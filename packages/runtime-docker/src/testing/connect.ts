import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Engine } from '../engine/open-engine.ts';
import { BASE_IMAGE } from './docker-harness.ts';

/**
 * JavaScript that tells how connections to `TARGETS` (JSON in the environment, `host:port`) end, in `results`: `connected`, or the
 * error's name.
 */
export const CONNECT = `
  const connect = (target) => new Promise((resolve) => {
    const [, host, port] = /^(.*):(\\d+)$/.exec(target);
    const socket = require('node:net').connect({ host, port: Number(port), timeout: 3000 });
    socket.on('connect', () => resolve('connected')).on('error', (error) => resolve(error.code)).on('timeout', () => resolve('timeout'));
  });
  const results = await Promise.all(JSON.parse(process.env.TARGETS).map(connect));`;

/** How a connection ends that a container makes which is not Berth's, on the engine's own network: a test's listener is really there. */
export async function connectFromPlainContainer(engine: Engine, target: string): Promise<string> {
  const script = `(async () => { ${CONNECT} console.log(results[0]); process.exit(); })()`;
  const options = ['run', '--rm', '-e', `TARGETS=${JSON.stringify([target])}`, BASE_IMAGE, 'node', '-e', script];
  const { stdout } = await promisify(execFile)('docker', ['-H', engine.address, ...options]);
  return stdout.trim();
}
