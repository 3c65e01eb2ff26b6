/** Runs at most one call per key at a time. Callers that arrive meanwhile share its result. */
export interface SingleFlight<Value> {
  run(key: string, work: () => Promise<Value>): Promise<Value>;
}

/** Creates a single-flight group with no calls in progress. */
export function createSingleFlight<Value>(): SingleFlight<Value> {
  const flights = new Map<string, Promise<Value>>();
  return {
    run(key, work) {
      const running = flights.get(key);
      if (running) return running;
      const flight = work().finally(() => flights.delete(key));
      flights.set(key, flight);
      return flight;
    },
  };
}
