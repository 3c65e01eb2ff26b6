import { openRawConnection } from '../tests/harness/raw-connection.ts';

/** When a program that was started by hand did what, in milliseconds since it was waited for. */
export interface FirstAnswer {
  readonly portOpenMs: number;
  readonly firstAnswerMs: number;
}

/**
 * Waits until a port answers a request with 200. It is tried every millisecond, so that waiting adds next to nothing.
 * @param hasEnded why there will be no answer; undefined while there may be
 */
export async function untilAnswer(
  port: number,
  host = '127.0.0.1',
  hasEnded: () => string | undefined = () => undefined,
): Promise<FirstAnswer> {
  const startedMs = performance.now();
  while (performance.now() < startedMs + 60_000) {
    const connection = await openRawConnection(port, host).catch(() => undefined);
    if (!connection) {
      const reason = hasEnded();
      if (reason !== undefined) throw new Error(reason);
      await new Promise((resolve) => setTimeout(resolve, 1));
      continue;
    }
    using open = connection;
    const portOpenMs = performance.now() - startedMs;
    await open.send('GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');
    const answer = await open.receiveAll();
    if (!answer.startsWith('HTTP/1.1 200')) throw new Error(`${host}:${port} answered ${answer.slice(0, 80)}`);
    return { portOpenMs, firstAnswerMs: performance.now() - startedMs };
  }
  throw new Error(`${host}:${port} never answered`);
}
