import { createError } from '@berth/contract';
import { AGENT_LIMITS } from '@berth/contract/agent';
import { readBody, registerStream } from '@berth/http';
import type { AgentApp, AgentAppContext } from '../../http/agent-app.ts';
import type { AgentDeps } from '../../http/agent-deps.ts';
import { defineRoute } from '../../http/define-route.ts';

/** `POST /transcribe`. Source: spec agent-api 2. No speech service can be configured yet, so a good request is 501. */
export function registerTranscribe(app: AgentApp, deps: AgentDeps): void {
  const route = defineRoute({ access: 'turn', errors: ['bad_request', 'payload_too_large', 'not_available'] }, deps, {
    method: 'post',
    path: '/transcribe',
    operationId: 'transcribe',
    tags: ['Chat'],
    summary: 'Turn speech into text',
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
    responses: {},
  });
  registerStream(app, route, async (c) => {
    await readSpeech(c);
    throw createError('not_available', 'This agent has no speech service.');
  });
}

/** @throws `bad_request` without a file, `payload_too_large` for one that is too long. */
async function readSpeech(c: AgentAppContext): Promise<File> {
  const noFile = () =>
    createError('bad_request', 'Send the recording as the field "file" of a multipart/form-data body.');
  const contentType = c.req.header('content-type') ?? '';
  if (!contentType.startsWith('multipart/form-data')) throw noFile();
  const bytes = await readBody(c, AGENT_LIMITS.speechBytes);
  const form = await new Response(Buffer.from(bytes), { headers: { 'Content-Type': contentType } })
    .formData()
    .catch(() => undefined);
  const file = form?.get('file');
  if (!(file instanceof File) || file.size === 0) throw noFile();
  return file;
}
