/** The output streams of a program. */
export type OutputStream = 'stdout' | 'stderr';

/**
 * Receives the output of a program, in order, as raw bytes. A returned promise applies back-pressure: the pipe isn't read until the
 * promise settles, so a sink that never settles stalls the program once the pipe is full.
 */
export type OutputSink = (stream: OutputStream, chunk: Uint8Array) => void | Promise<void>;
