/** Named by the agent's callback page, which tells both ways: a provider's pages may have cut the tie to the opener. */
const CHANNEL = 'berth-connectors';

/** Resolves when the callback page of `connector` tells that it is connected; never when `signal` aborts before. */
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
