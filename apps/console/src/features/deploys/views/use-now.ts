import { useEffect, useState } from 'react';

/** Returns the current time in epoch milliseconds, updated every second while `isTicking`. */
export function useNow(isTicking: boolean): number {
  const [nowMs, setNowMs] = useState(Date.now);
  useEffect(() => {
    if (!isTicking) return;
    const timer = setInterval(() => setNowMs(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, [isTicking]);
  return nowMs;
}
