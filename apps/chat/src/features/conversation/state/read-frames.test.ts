import { describe, expect, it } from 'vitest';
import { type NumberedFrame, readFrames } from './read-frames.ts';

async function read(...chunks: readonly string[]) {
  const frames: NumberedFrame[] = [];
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(new TextEncoder().encode(chunk));
      controller.close();
    },
  });
  const stream = readFrames(body);
  for (;;) {
    const { done, value } = await stream.next();
    if (done) return { frames, isWhole: value };
    frames.push(value);
  }
}

describe('readFrames', () => {
  it('reads frames with their ids, however they were cut', async () => {
    const text =
      'id: r:1\ndata: {"type":"text","text":"é"}\n\nid: r:2\r\ndata: {"type":"ping"}\r\n\r\ndata: [DONE]\n\n';
    const expected = {
      frames: [
        { id: 'r:1', frame: { type: 'text', text: 'é' } },
        { id: 'r:2', frame: { type: 'ping' } },
      ],
      isWhole: true,
    };
    expect(await read(text)).toEqual(expected);
    expect(await read(...text)).toEqual(expected);
  });

  it('tells a stream that was cut from one that ended', async () => {
    expect(await read('data: {"type":"ping"}\n\ndata: {"type":"te')).toEqual({
      frames: [{ id: undefined, frame: { type: 'ping' } }],
      isWhole: false,
    });
  });

  it('passes over comments and what is no frame', async () => {
    expect(await read(': hello\n\ndata: nonsense\n\ndata: 5\n\ndata: [DONE]\n\n')).toEqual({
      frames: [],
      isWhole: true,
    });
  });
});
