import type { ModelRequest } from '../model.ts';

/** A request with everything in it: pictures and documents, thinking of this model and another, good and bad calls. */
export const SAMPLE_REQUEST: ModelRequest = {
  system: 'Be kind.',
  messages: [
    {
      role: 'user',
      content: [
        { type: 'text', text: 'See' },
        { type: 'image', name: 'a.png', mediaType: 'image/png', data: 'AAAA' },
        { type: 'file', name: 'a.pdf', mediaType: 'application/pdf', data: 'BBBB' },
      ],
    },
    {
      role: 'assistant',
      content: [
        { type: 'thinking', text: 'hm', proof: { signature: 'SIG' } },
        { type: 'thinking', text: "another model's" },
        { type: 'text', text: 'I look.' },
        { type: 'tool_call', id: 'a', tool: 'read', args: '{"path":"x"}' },
        { type: 'tool_call', id: 'b', tool: 'read', args: '{"path":' },
      ],
    },
    { role: 'tool', callId: 'a', tool: 'read', text: '', isError: false },
    { role: 'tool', callId: 'b', tool: 'read', text: 'bad arguments', isError: true },
    { role: 'user', content: [{ type: 'text', text: 'Go on' }] },
  ],
  tools: [{ name: 'read', description: 'Reads.', inputSchema: { type: 'object', properties: {} } }],
  signal: new AbortController().signal,
};
