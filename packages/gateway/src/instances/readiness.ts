import type { Instance } from '@berth/runtime';
import type { RevisionTarget } from '../port/gateway.ts';
import type { HttpQuestion } from './http-probe.ts';
import type { InstanceContext } from './instance-context.ts';

/** The readiness checks of an instance, besides its open port. */
export type Readiness = ReturnType<typeof createReadiness>;

/**
 * The request for a server that listens before its application is loaded. Any answer means that the application is loaded. The request
 * has no effect: RFC 9110 section 9.3.7 calls it a "ping" or "no-op".
 */
const PING: HttpQuestion = { method: 'OPTIONS', path: '*', host: 'localhost', timeoutMs: 5_000 };

/** Timeout of one protocol probe. */
const PROTOCOL_PROBE_MS = 5_000;

/** Time without an answer after which the configured protocol is assumed. */
const PROTOCOL_WAIT_MS = 10_000;

/**
 * Creates the readiness checks of an instance, in this order: the protocol, where HTTP/2 is configured; then the health check or, for a
 * server that listens before its application is loaded, any answer.
 *
 * @param onNotice called with each message for the owner, once.
 */
export function createReadiness(
  { clock, probes }: Pick<InstanceContext, 'clock' | 'probes'>,
  target: Pick<RevisionTarget, 'artifact' | 'env' | 'health' | 'url' | 'useHttp2'>,
  { address, port }: Pick<Instance, 'address' | 'port'>,
  onNotice: (message: string) => void,
) {
  const { health } = target;
  const question = health ? toQuestion(health, target.url) : hasLateApplication(target) ? PING : undefined;
  let { useHttp2 } = target;
  let isProtocolKnown = !useHttp2;
  let silentSinceMs: number | undefined;
  let problem: string | undefined;
  let hasToldProblem = false;

  const learnProtocol = async (): Promise<boolean> => {
    const spoken = await probes.http2(address, PROTOCOL_PROBE_MS);
    if (spoken === 'silent') {
      silentSinceMs ??= clock.monotonicMs() - PROTOCOL_PROBE_MS;
      if (clock.monotonicMs() - silentSinceMs < PROTOCOL_WAIT_MS) return false;
    }
    if (spoken === 'http1') {
      useHttp2 = false;
      onNotice(
        `The service speaks HTTP/1.1 on $PORT (${port}), not HTTP/2 without TLS: requests are sent to it over HTTP/1.1. Set use_http2 to false, or serve h2c`,
      );
    }
    return true;
  };

  const ask = async ({ method, path, ...rest }: HttpQuestion): Promise<string | undefined> => {
    const answer = await probes.http({ ...address, useHttp2 }, { method, path, ...rest });
    if (question === PING) return 'status' in answer ? undefined : `The service ${answer.problem}`;
    if ('problem' in answer) return `The health check ${method} ${path} failed: the service ${answer.problem}`;
    if (answer.status >= 200 && answer.status < 400) return undefined;
    return `The health check ${method} ${path} failed: the service answered ${answer.status}`;
  };

  return {
    /** Returns whether the checks pass now. Never rejects. */
    async check(): Promise<boolean> {
      isProtocolKnown ||= await learnProtocol();
      if (!isProtocolKnown) {
        problem = 'The service sent no HTTP response';
        return false;
      }
      problem = question && (await ask(question));
      if (problem !== undefined && health && !hasToldProblem) {
        hasToldProblem = true;
        onNotice(`${problem}. Retrying`);
      }
      return problem === undefined;
    },
    /** The problem that the last check found, as a sentence without a full stop; undefined when it passed. */
    get problem() {
      return problem;
    },
    /** Whether requests are sent over HTTP/2. Where HTTP/2 is configured, the value is final after a passed check. */
    get useHttp2() {
      return useHttp2;
    },
  };
}

function hasLateApplication({ artifact, env }: Pick<RevisionTarget, 'artifact' | 'env'>): boolean {
  const { lateApplication } = artifact;
  return lateApplication === 'always' || (lateApplication === 'with_workers' && Number(env['WEB_CONCURRENCY']) > 1);
}

function toQuestion({ path, timeoutMs }: NonNullable<RevisionTarget['health']>, url: string): HttpQuestion {
  return { method: 'GET', path, host: new URL(url).host, timeoutMs };
}
