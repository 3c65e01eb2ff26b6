/**
 * The channel on which the agent's callback page reports. The page also posts to its opener, but a provider's page may have
 * cut that link.
 */
const CHANNEL = 'berth-connectors';

/** Waits until the callback page reports that `connector` is connected; never resolves if `signal` aborts first. */
export function awaitSignIn(connector: string, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const channel = new BroadcastChannel(CHANNEL);
    const take = ({ data }: MessageEvent) => {
      if (data?.type === 'berth:connector' && data.connector === connector && data.connected === true) resolve();
    };
    channel.addEventListener('message', take, { signal });
    addEventListener('message', (event) => event.origin === location.origin && take(event), { signal });
    signal.addEventListener('abort', () => channel.close(), { once: true });
  });
}
