import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Busboy } from '@fastify/busboy';

/** A fake Gotenberg server. */
export interface FakeGotenberg extends AsyncDisposable {
  readonly url: string;
  /** Documents received, oldest first. */
  readonly received: readonly ReceivedDocument[];
  /** Returns the response to a document; may be replaced. */
  answer: (document: ReceivedDocument) => { readonly status: number; readonly body: string | Buffer } | 'hang' | 'cut';
}

/** A document that the server received. */
export interface ReceivedDocument {
  readonly method: string;
  readonly path: string;
  readonly field: string;
  readonly filename: string;
  readonly bytes: Buffer;
}

/** Builds a PDF with one page that shows a text. */
export function smallPdf(text = 'Hello'): Buffer {
  const stream = `BT /F1 24 Tf 72 720 Td (${text}) Tj ET`;
  const objects = [
    '<</Type/Catalog/Pages 2 0 R>>',
    '<</Type/Pages/Kids[3 0 R]/Count 1>>',
    '<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>',
    `<</Length ${stream.length}>>stream\n${stream}\nendstream`,
    '<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>',
  ];
  const body = objects.map((object, index) => `${index + 1} 0 obj${object}endobj\n`).join('');
  return Buffer.from(`%PDF-1.4\n${body}trailer<</Root 1 0 R/Size 6>>\n%%EOF\n`, 'latin1');
}

/** Starts a server on loopback that parses forms as Gotenberg does. */
export async function startGotenberg(): Promise<FakeGotenberg> {
  const received: ReceivedDocument[] = [];
  const server = createServer((request, response) => {
    const { method = '', url: path = '' } = request;
    const type = request.headers['content-type'] ?? '';
    const form = new Busboy({ headers: { ...request.headers, 'content-type': type } });
    form.on('file', (field, stream, filename) => {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => received.push({ method, path, field, filename, bytes: Buffer.concat(chunks) }));
    });
    form.on('finish', () => {
      const last = received.at(-1);
      const answer = last ? gotenberg.answer(last) : { status: 400, body: 'Invalid form data: no form file found' };
      if (answer === 'hang') return;
      if (answer === 'cut') {
        response.writeHead(200, { 'content-type': 'application/pdf', 'content-length': '100000' });
        response.write('%PDF-1.7');
        setImmediate(() => response.destroy());
        return;
      }
      response.writeHead(answer.status, { 'content-type': 'application/pdf' }).end(answer.body);
    });
    request.pipe(form);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const gotenberg: FakeGotenberg = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    answer: () => ({ status: 200, body: smallPdf() }),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return gotenberg;
}
