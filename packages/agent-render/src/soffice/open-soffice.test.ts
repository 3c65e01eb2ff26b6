import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { isTwoInstances, openTestAgent, type TestAgent } from '@berth/agent/testing';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { describeRenderer } from '../contract/describe-renderer.ts';
import { openSlides, openText } from '../testing/open-documents.ts';
import { pdfText } from '../testing/pdf-text.ts';
import { reachingDocuments } from '../testing/reaching-documents.ts';
import { readSample, SAMPLES } from '../testing/read-sample.ts';
import { findSoffice, openSoffice } from './open-soffice.ts';

const opened = await openSoffice(process.env['PATH']);
const problem = 'problem' in opened ? opened.problem : undefined;
/** Each document takes a second, or ten on a machine that works on other things. */
const TIMEOUT_MS = 180_000;

test('LibreOffice is there where it is tested for sure, and says why where it is not', () => {
  if (process.env['CI'] === 'true') expect(problem).toBeUndefined();
  else if (problem !== undefined) expect(problem).toMatch(/not installed|sandbox/);
});

describe.skipIf(problem !== undefined || isTwoInstances)(
  `LibreOffice${problem === undefined ? '' : ` (skipped: ${problem})`}`,
  { timeout: TIMEOUT_MS },
  () => {
    describe('as a renderer', () => {
      describeRenderer(() => ('problem' in opened ? expect.unreachable(opened.problem) : opened));
    });

    describe('of an agent', () => {
      let fixture: TestAgent;
      beforeAll(async () => {
        fixture = await openTestAgent({ environment: { PATH: process.env['PATH'] } });
      });
      afterAll(() => fixture[Symbol.asyncDispose]());
      const show = async (name: string, bytes: Uint8Array, as = 'pdf') => {
        const target = `/files/${encodeURIComponent(name)}`;
        expect((await fixture.call('alice', 'PUT', target, bytes)).status).toBe(200);
        return fixture.call('alice', 'GET', `${target}?as=${as}`);
      };
      const shownText = async (name: string, bytes: Uint8Array) => {
        const answer = await show(name, bytes);
        const body = Buffer.from(await answer.arrayBuffer());
        expect(answer.status, `${name}: ${body.subarray(0, 300)}`).toBe(200);
        return (await pdfText(body)).join('\n');
      };
      const inPairs = async <Item>(items: readonly Item[], work: (item: Item) => Promise<void>) => {
        const left = [...items];
        const lane = async () => {
          for (let next = left.shift(); next !== undefined; next = left.shift()) await work(next);
        };
        await Promise.all([lane(), lane()]);
      };

      // Holds the agent to the contract: verifies('files.as-pdf')
      it('shows documents of every format and from several programs as PDF', async () => {
        // Of the others the next but one sees to it.
        const formats = Object.entries(SAMPLES).filter(([name]) => !/(docx|rtf)$/.test(name));
        await inPairs(formats, async ([name, text]) => {
          expect(await shownText(name, readSample(name as keyof typeof SAMPLES))).toContain(text);
        });
      });

      // Holds the agent to the contract: verifies('files.as-slides')
      it('shows slides as pictures, rendered once, also through a share link', async () => {
        const deck = await openSlides(['One', 'Two', 'Three']);
        const answer = await show('deck.odp', deck, 'slides');
        expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/json']);
        const { count, slides } = await answer.json();
        expect([count, slides.length]).toEqual([3, 3]);
        for (const slide of slides) {
          expect(slide).toMatch(/^data:image\/jpeg;base64,/);
          const picture = Buffer.from(slide.split(',')[1], 'base64');
          expect(picture.subarray(0, 3)).toEqual(Buffer.from('ffd8ff', 'hex'));
          // A plain white page is smaller.
          expect(picture.length).toBeGreaterThan(8_000);
        }
        const kept = await readdir(path.join(fixture.dataFolder, '.rendered'));
        expect((await show('copy.odp', deck, 'slides')).status).toBe(200);
        expect(await readdir(path.join(fixture.dataFolder, '.rendered'))).toEqual(kept);
        expect((await show('a.docx', readSample('libreoffice.docx'), 'slides')).status).toBe(415);

        const { token } = await (await fixture.call('alice', 'POST', '/share', { path: 'file/deck.odp' })).json();
        const shared = `/share/alice/${token}/file/deck.odp`;
        const pdf = await fixture.call(undefined, 'GET', `${shared}?as=pdf`);
        expect([pdf.status, pdf.headers.get('x-robots-tag')]).toEqual([200, 'noindex']);
        expect(await pdfText(Buffer.from(await pdf.arrayBuffer()))).toHaveLength(3);
        expect((await (await fixture.call(undefined, 'GET', `${shared}?as=slides`)).json()).count).toBe(3);
        expect((await fixture.call(undefined, 'GET', `${shared}?as=gif`)).status).toBe(422);
      });

      it('never follows a document’s references: no request is sent, and no file of this machine is in the PDF', async () => {
        await using sink = await openSink();
        const folder = await mkdtemp(path.join(tmpdir(), 'berth-beside-'));
        try {
          // Without the sandbox the same document is heard: the sink hears.
          const documents = await reachingDocuments(sink.url);
          const deck = documents.find(({ name }) => name.endsWith('.odp'))!;
          await convertBare(folder, deck.bytes);
          expect(sink.asked()).toContain('/odp-image.png');
          sink.forget();
          await inPairs(documents, async ({ name, bytes }) => {
            await shownText(name, bytes);
          });
          expect(sink.asked()).toEqual([]);

          const secret = await openText('SECRET');
          for (const name of ['odt-section.odt', 'odt-object.odt']) await writeFile(path.join(folder, name), secret);
          const local = (await reachingDocuments(`file://${folder}`)).find(({ name }) => name.endsWith('.odt'))!;
          expect(await shownText('local.odt', local.bytes)).not.toContain('SECRET');
        } finally {
          await rm(folder, { recursive: true });
        }
      });

      it('rejects a document that it can’t open, and keeps working', async () => {
        const doc = Buffer.from(readSample('libreoffice.doc'));
        doc.fill(0xff, 512, 2_048);
        const answer = await show('a.doc', doc);
        expect(answer.status).toBe(415);
        expect((await answer.json()).detail).toMatch(/^"a\.doc" cannot be shown as pdf\. LibreOffice/);
        expect(await shownText('ä "q" %2e%0a;$(x)\'.ODT', await openText('after'))).toContain('after');
      });
    });
  },
);

/** LibreOffice as someone without a sandbox would start it. */
async function convertBare(folder: string, bytes: Uint8Array): Promise<void> {
  const document = path.join(folder, 'bare.odp');
  await writeFile(document, bytes);
  const words = [`-env:UserInstallation=file://${folder}/profile`, '--convert-to', 'pdf', '--outdir', folder, document];
  const program = path.join(findSoffice(process.env['PATH'])!, 'soffice');
  const child = spawn(program, ['--headless', ...words], { stdio: 'ignore', timeout: TIMEOUT_MS });
  await once(child, 'close');
}

async function openSink() {
  const asked: string[] = [];
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.on('data', (data) => {
      asked.push(data.toString('latin1').split(' ')[1] ?? '');
      socket.end('HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n');
    });
  });
  server.listen(0, '0.0.0.0');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked: () => asked,
    forget: () => asked.splice(0),
    async [Symbol.asyncDispose]() {
      server.close();
      await once(server, 'close');
    },
  };
}
