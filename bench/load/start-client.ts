import { fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { CORES, pinProcess } from '../pin-process.ts';

/** What a client does. */
export interface ClientJob {
  readonly kind: 'new handshakes' | 'resumed handshakes' | 'idle connections' | 'WebSocket messages' | 'events';
  /** Port of 127.0.0.1; with TLS for handshakes. */
  readonly port: number;
  /** The `Host` header. */
  readonly host: string;
  readonly connections: number;
}

/** A client whose connections are open. */
export interface Client extends AsyncDisposable {
  /** Returns how much of what its kind names was done within some seconds. @throws Error when the server did anything wrong */
  count(seconds: number): Promise<number>;
}

/** Starts a client in a process of its own, on the core of the load. @throws Error when a connection fails */
export async function startClient(job: ClientJob): Promise<Client> {
  const child = fork(path.join(import.meta.dirname, 'load-program.ts'), [JSON.stringify(job)]);
  const ended = once(child, 'exit');
  pinProcess(child.pid as number, CORES.load);
  const answer = async <Message>(): Promise<Message> => {
    const failed = ended.then(([code]) => {
      throw new Error(`a client for ${job.kind} on port ${job.port} ended with ${code}; it printed the cause`);
    });
    const [message] = (await Promise.race([once(child, 'message'), failed])) as [Message];
    return message;
  };
  const close = async () => {
    child.kill('SIGKILL');
    await ended;
  };
  try {
    await answer();
  } catch (error) {
    await close();
    throw error;
  }
  return {
    async count(seconds) {
      child.send({ seconds });
      return (await answer<{ readonly count: number }>()).count;
    },
    [Symbol.asyncDispose]: close,
  };
}
