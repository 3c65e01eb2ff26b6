import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { REPO } from '../harness/berth.ts';
import { needs, skipOrFail } from '../harness/needs.ts';
import { lacksCells, makeCells } from '../harness/network-cell.ts';

/** Listens where Berth does, and prints a line when it listens everywhere. */
const PROGRAM = `const { createServer } = require('node:net');
let open = 0;
const onOpen = () => ++open === 3 && console.log('ready');
for (const port of [8787, 8443, 9464]) {
  createServer((socket) => socket.end(String(port))).listen(port, '0.0.0.0', onOpen);
}`;

/** What answers at a port, seen from outside; undefined when nothing does. */
async function answerOf(host: string, port: number): Promise<string | undefined> {
  const socket = connect({ host, port });
  try {
    await once(socket, 'connect', { signal: AbortSignal.timeout(1_000) });
    return await text(socket);
  } catch {
    return undefined;
  } finally {
    socket.destroy();
  }
}

// Fails when a port that Berth listens on can be reached around the firewall, such as that of the metrics.
it('deploy/firewall/berth.nft leads 80 and 443 to Berth and drops everything else', async (context) => {
  await needs(context, 'nft');
  const lacking = lacksCells();
  if (lacking !== undefined) return skipOrFail(context, lacking);
  using cells = makeCells(1);
  const [cell] = cells.cells;
  const { address = '', launcher: [program = '', ...words] = [] } = cell ?? {};
  const server = spawn(program, [...words, process.execPath, '-e', PROGRAM], { stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    await once(server.stdout, 'data');
    expect(await answerOf(address, 9464)).toBe('9464');
    execFileSync(program, [...words, 'nft', '-f', path.join(REPO, 'deploy/firewall/berth.nft')]);
    // Loading it again replaces it.
    execFileSync(program, [...words, 'nft', '-f', path.join(REPO, 'deploy/firewall/berth.nft')]);
    expect([await answerOf(address, 80), await answerOf(address, 443)]).toEqual(['8787', '8443']);
    for (const port of [8787, 8443, 9464]) expect([port, await answerOf(address, port)]).toEqual([port, undefined]);
  } finally {
    server.kill();
    await once(server, 'exit');
  }
});
