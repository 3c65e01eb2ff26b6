import { type Dirent, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { deployed, postDeploy } from '../harness/deploy.ts';
import { uniqueName } from '../harness/names.ts';
import { readOperations, sendOperation } from '../harness/open-api.ts';
import { greeter } from '../harness/project-files.ts';
import { request } from '../harness/request.ts';
import { packProject } from '../harness/tar.ts';
import { useBerth } from '../harness/use-berth.ts';

const berth = useBerth();
const folder = mkdtempSync(path.join(tmpdir(), 'berth-injected-'));
const target = path.join(folder, 'proof');
afterAll(() => rmSync(folder, { recursive: true }));

/** Texts that make `target`, if a shell, a template or a query ever reads them as a program. */
const CORPUS: readonly string[] = [
  `$(touch ${target})`,
  `\`touch ${target}\``,
  `; touch ${target} ;`,
  `| touch ${target}`,
  `&& touch ${target}`,
  `\ntouch ${target}\n`,
  `'; touch ${target}; '`,
  `"; touch ${target}; "`,
  `\${process.getBuiltinModule('fs').writeFileSync('${target}','')}`,
  `{{constructor.constructor('return process')().getBuiltinModule('fs').writeFileSync('${target}','')}}`,
  "' OR '1'='1' --",
  `'; DROP TABLE deployments; --`,
  '../../../../../../etc/passwd',
  '__proto__',
  'constructor',
  '%00',
  '\u0000',
  '\ud800',
  '-rf',
  '--help',
];

describe('a hostile text', () => {
  it('in any field of any operation is refused or kept as text, never run and never a 500', async () => {
    const operations = await readOperations(berth);
    let sent = 0;
    for (const operation of operations) {
      const fields = [...operation.pathParameters, ...operation.queryParameters, ...operation.bodyFields];
      for (const field of fields) {
        for (const text of CORPUS) {
          const answer = await sendOperation(berth, operation, { [field]: text }, { 'X-API-Key': berth.key });
          await answer.body?.cancel();
          sent++;
          // 501: a feature that this server was not given, such as payments.
          const isRefusedOrKept = answer.status < 500 || answer.status === 501;
          expect([operation.id, field, text, isRefusedOrKept]).toEqual([operation.id, field, text, true]);
        }
      }
    }
    console.log(`injection: ${sent} requests to ${operations.length} operations`);
    expect(sent).toBeGreaterThan(500);
    expect(existsSync(target)).toBe(false);
    expect((await berth.api('/v1/deployment/list')).status).toBe(200);
  });

  it('in any field of the deploy form is refused', async () => {
    const files = greeter('x');
    const fields = ['function_name', 'source_object', 'port', 'memory', 'cpu', 'timeout', 'concurrency', 'volumes'];
    for (const field of [...fields, 'max_instances', 'session_affinity', 'use_http2', 'schedule', 'timezone']) {
      // It is a name like any other.
      for (const text of CORPUS.filter((one) => one !== 'constructor')) {
        const answer = await postDeploy(berth, 'injected', { files, fields: { [field]: text } });
        await answer.body?.cancel();
        expect([field, text, answer.status]).toEqual([field, text, 422]);
      }
    }
    expect(existsSync(target)).toBe(false);
  });

  it('as a file name, a variable or a request stays what it is', async () => {
    const name = uniqueName('text');
    const names = CORPUS.map((text) => text.replaceAll(target, 'proof')).filter((text) => !/[\0/\n\ud800]/.test(text));
    const files = { ...greeter('fine'), ...Object.fromEntries(names.map((text) => [text, 'x'])) };
    await deployed(berth, name, { archive: packProject(files) });
    const values = Object.fromEntries(
      CORPUS.filter((text) => !/[\0\ud800]/.test(text)).map((text, i) => [`V${i}`, text]),
    );
    const set = await berth.post('/v1/env/set', { deployment_name: name, set: values });
    expect(set.status).toBe(200);
    await set.text();
    for (const text of CORPUS) {
      const headers = { 'User-Agent': encodeURIComponent(text.toWellFormed()) };
      const answer = await request(berth, name, `/?q=${encodeURIComponent(text.toWellFormed())}`, { headers });
      expect([text, answer.text]).toEqual([text, 'fine']);
    }
    expect(existsSync(target)).toBe(false);
    expect(namesBelow(berth.dataFolder)).not.toContain('proof');
  });
});

/** Names of all that lies below a folder; what an instance leaves behind may go away meanwhile. */
function namesBelow(folder: string): string[] {
  return readIfThere(folder).flatMap((entry) =>
    entry.isDirectory() ? [entry.name, ...namesBelow(path.join(folder, entry.name))] : [entry.name],
  );
}

function readIfThere(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}
