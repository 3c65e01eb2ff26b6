import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { waitUntil } from '@berth/testkit';
import { expect, it } from 'vitest';
import { openTestAgent } from '../testing/open-test-agent.ts';

const FILES = 40;
const SCRIPT = path.join(import.meta.dirname, '../testing/agent-process.ts');

/** A batch whose files all say of which generation they are. */
function batch(generation: number): FormData {
  const form = new FormData();
  for (let index = 0; index < FILES; index++)
    form.append('file', new File([`${generation}`], `${index % 4}/${index}.txt`));
  return form;
}

it('kill -9 in the middle of a batch: it is all there or not at all, and nothing that was answered is lost', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'agent-files-killed-'));
  const child = spawn(process.execPath, [SCRIPT, folder], { stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    const [url] = (await once(child.stdout, 'data')) as [Buffer];
    const call = (method: string, target: string, body: BodyInit) =>
      fetch(`${String(url).trim()}${target}`, { method, body, headers: { Authorization: 'Bearer alice' } });
    await call('PUT', '/files/kept.txt', 'kept');
    let answered = 0;
    const uploading = (async () => {
      for (let generation = 1; ; generation++) {
        const answer = await call('POST', '/files-batch/in', batch(generation));
        if (answer.status === 200) answered = generation;
      }
    })().catch(() => {});
    await waitUntil('one generation is there', () => answered > 0, 60_000);
    const batches = path.join(folder, '.batches');
    const has = (batchName: string, file: string) => existsSync(path.join(batches, batchName, file));
    // Some of its files have their places, others not.
    const isHalfPlaced = (name: string) =>
      has(name, 'plan.json') && !has(name, '9.new') && has(name, `${FILES - 1}.new`);
    const isPlacing = () => namesBelow(batches).some(isHalfPlaced);
    // Looked for without a pause: it takes milliseconds.
    for (const endMs = Date.now() + 20_000; !isPlacing() && Date.now() < endMs; ) await new Promise(setImmediate);
    child.kill('SIGKILL');
    await Promise.all([uploading, child.exitCode ?? once(child, 'exit')]);

    await using fixture = await openTestAgent({ dataFolder: folder });
    const read = async (target: string) => (await fixture.call('alice', 'GET', target)).text();
    expect(await read('/files/kept.txt')).toBe('kept');
    const generations = new Set<string>();
    for (let index = 0; index < FILES; index++) generations.add(await read(`/files/in/${index % 4}/${index}.txt`));
    expect([...generations]).toHaveLength(1);
    expect(Number([...generations][0])).toBeGreaterThanOrEqual(answered);
    expect(Number([...generations][0])).toBeLessThanOrEqual(answered + 1);
  } finally {
    child.kill('SIGKILL');
    await rm(folder, { recursive: true, force: true });
  }
});

/** Empty where a folder goes while it is read: batches come and go. */
function namesBelow(folder: string): readonly string[] {
  try {
    return readdirSync(folder, { recursive: true, encoding: 'utf8' });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}
