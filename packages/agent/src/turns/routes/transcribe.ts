import type { Readable } from 'node:stream';
import { type AgentApp, type AgentAppContext, routesOf } from '@berth/agent-core';
import { createError } from '@berth/contract';
import { AGENT_LIMITS } from '@berth/contract/agent';
import { jsonResponse } from '@berth/http';
import type { Clock } from '@berth/kit';
import { z } from '@hono/zod-openapi';
import { receiveForm } from '../../files/receive-form.ts';
import { createTranscriber } from '../../speech/create-transcriber.ts';
import type { TurnRouteDeps } from './turn-route.ts';

/** Limit of the form around the recording. */
const FORM_BYTES = 65_536;

const transcriptSchema = z.object({ text: z.string() }).openapi('Transcript');

/** `POST /transcribe`. Source: docs/contract/agent-api.md §2. */
export function registerTranscribe(app: AgentApp, deps: TurnRouteDeps): void {
  const route = routesOf(app, deps, 'Chat');
  const { speech, clock } = deps;
  const transcriber = speech && createTranscriber(speech, clock);
  const errors = ['bad_request', 'payload_too_large', 'unsupported_media_type', 'not_available'] as const;
  route('POST /transcribe', 'transcribe', {
    access: 'turn',
    errors,
    summary: 'Transcribe speech',
    description: 'A recording of at most 25 MiB: WAV, MP3, M4A, Ogg, WebM or FLAC, detected by content.',
    request: {
      body: {
        required: true,
        content: {
          'multipart/form-data': {
            schema: { type: 'object', required: ['file'], properties: { file: { type: 'string', format: 'binary' } } },
          },
        },
      },
    },
    responses: { 200: jsonResponse(transcriptSchema, 'The text; empty without speech') },
  }).stream(async (c) => {
    const recording = await readRecording(c, clock);
    if (!transcriber) throw createError('not_available', 'This agent has no speech service.');
    const text = await transcriber.transcribe(recording, { logger: c.get('logger'), signal: c.req.raw.signal });
    return c.json({ text }, 200);
  });
}

/** @throws `bad_request` without a file, `payload_too_large` for one that is too long. */
async function readRecording(c: AgentAppContext, clock: Clock): Promise<Uint8Array> {
  const maxBytes = AGENT_LIMITS.speechBytes + FORM_BYTES;
  const tooLarge = () => createError('payload_too_large', `A recording has at most ${AGENT_LIMITS.speechBytes} bytes.`);
  let recording: Buffer | undefined;
  if (Number(c.req.header('content-length') ?? 0) > maxBytes) throw tooLarge();
  if (/^multipart\/form-data\b/i.test(c.req.header('content-type') ?? '')) {
    await receiveForm(c, {
      clock,
      maxBytes,
      async onFile({ field, bytes }) {
        if (field !== 'file' || recording) bytes.resume();
        else recording = await readAll(bytes, tooLarge);
      },
    });
  }
  if (recording && recording.length > 0) return recording;
  throw createError('bad_request', 'Send the recording as the field "file" of a multipart/form-data body.');
}

async function readAll(bytes: Readable, tooLarge: () => Error): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of bytes as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > AGENT_LIMITS.speechBytes) throw tooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
