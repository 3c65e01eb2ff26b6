import { BUSY_BODY_BYTES, BUSY_PATH, parseBusyAnswer, REPLACED_HEADER } from '@berth/contract/busy';
import type { InstanceChange, RevisionTarget } from '../port/gateway.ts';
import type { HttpAnswer, HttpQuestion } from './http-probe.ts';
import type { InstanceContext } from './instance-context.ts';
import type { InstanceEvents } from './instance-events.ts';
import type { ServiceInstance, WorkRecord } from './service-instance.ts';

type EndReason = Extract<InstanceChange, { kind: 'busy_ended' }>['reason'];

/** An `until` that is nearer makes no difference: the answer itself takes time. */
const ASK_MIN_MS = 1_000;

/**
 * Creates the watch of a revision's instances. Source: docs/contract/control-plane.md §4, "Work without a request". Invariants:
 * B1: An instance that said that it is busy is not idle until it says otherwise, a request comes, or its time is up.
 * B2: It is billable for exactly that time, and both ends are events.
 * B3: There is one question that counts at a time, and an answer to a question asked before the last request doesn't count.
 */
export function createBusyWatch(
  { clock, policy, probes }: Pick<InstanceContext, 'clock' | 'policy' | 'probes'>,
  target: Pick<RevisionTarget, 'url'>,
  events: InstanceEvents,
) {
  const question: HttpQuestion = toQuestion(target.url, policy.busyTimeoutMs);
  const replacedQuestion = { ...question, headers: [...(question.headers ?? []), REPLACED_HEADER, '1'] };

  const send = ({ handle, readiness, mayFinishWork }: ServiceInstance): Promise<HttpAnswer> | undefined => {
    if (policy.busyMaxMs <= 0 || handle === null) return undefined;
    const useHttp2 = readiness?.useHttp2 ?? false;
    return probes.http({ ...handle.address, useHttp2 }, mayFinishWork ? replacedQuestion : question);
  };

  const end = (instance: ServiceInstance, work: WorkRecord, reason: EndReason) => {
    if (work.busySinceMs === null) return;
    const nowMs = clock.monotonicMs();
    const busyMs = nowMs - work.busySinceMs;
    work.busySinceMs = null;
    if (work.answer === 'busy') work.answer = 'none';
    // The time until it is suspended or stopped begins at the end of its work, as it would at the end of a request.
    instance.idleSinceMs = nowMs;
    instance.settleBilling(nowMs);
    events.emit(instance, { kind: 'busy_ended', busyMs, reason });
  };

  const setBusy = (instance: ServiceInstance, work: WorkRecord, untilMs: number) => {
    const nowMs = clock.monotonicMs();
    const lastUseMs = Math.max(instance.usedUntilMs, instance.readyAtMs ?? 0);
    if (nowMs - lastUseMs >= policy.busyMaxMs) return setAbsent(instance, work, 'limit');
    const waitMs = Math.min(policy.busyAskMs, Math.max(ASK_MIN_MS, untilMs - clock.nowMs()));
    work.answer = 'busy';
    work.askAtMs = nowMs + waitMs;
    if (work.busySinceMs !== null) return;
    work.busySinceMs = nowMs;
    instance.settleBilling(nowMs);
    events.emit(instance, { kind: 'busy' });
  };

  const setAbsent = (instance: ServiceInstance, work: WorkRecord, reason: EndReason) => {
    work.answer = 'absent';
    work.askAtMs = Number.POSITIVE_INFINITY;
    end(instance, work, reason);
  };

  const take = (instance: ServiceInstance, work: WorkRecord, answer: HttpAnswer) => {
    const nowMs = clock.monotonicMs();
    if ('problem' in answer && answer.isTimeout === true) {
      work.silentSinceMs ??= nowMs - policy.busyTimeoutMs;
      // A program that works may not get to answering; silence alone doesn't end its work at once.
      if (nowMs - work.silentSinceMs >= policy.busySilenceMs) setAbsent(instance, work, 'no_answer');
      else work.askAtMs = nowMs + policy.busyAskMs;
      return;
    }
    work.silentSinceMs = null;
    const isJson = 'status' in answer && answer.status === 200 && answer.body !== undefined;
    const said = isJson ? parseBusyAnswer(answer.body ?? '') : undefined;
    if (said === undefined) return setAbsent(instance, work, 'no_answer');
    const untilMs = said.until === undefined ? Number.NaN : Date.parse(said.until);
    if (said.busy && !(untilMs <= clock.nowMs())) {
      return setBusy(instance, work, Number.isNaN(untilMs) ? Number.POSITIVE_INFINITY : untilMs);
    }
    work.answer = 'done';
    work.askAtMs = nowMs + policy.busyAskMs;
    end(instance, work, 'done');
  };

  const askNow = async (instance: ServiceInstance, work: WorkRecord): Promise<void> => {
    const answer = (await send(instance)) ?? { status: 404 };
    if (instance.work === work) take(instance, work, answer);
  };

  return {
    /** Asks the instance, unless a question is under way; resolves with its answer taken. Never rejects. */
    ask(instance: ServiceInstance): Promise<void> {
      instance.work ??= {
        ...{ answer: 'none', askAtMs: Number.NEGATIVE_INFINITY },
        ...{ silentSinceMs: null, busySinceMs: null, question: null },
      };
      const { work } = instance;
      work.question ??= askNow(instance, work).finally(() => {
        work.question = null;
      });
      return work.question;
    },
    /** Tells an instance that still serves requests that it is replaced. Its answer doesn't count: it has work anyway. */
    async tellReplaced(instance: ServiceInstance): Promise<void> {
      await send(instance);
    },
    /** Returns whether a question is due: never asked since the last request, or the last answer is out of date. */
    isDue({ work }: ServiceInstance): boolean {
      return work === null || (work.question === null && clock.monotonicMs() >= work.askAtMs);
    },
    /** Returns whether the instance has no work, as far as it told lately: then it may be suspended or stopped. */
    isDone({ work }: ServiceInstance): boolean {
      if (work === null) return false;
      return work.answer === 'absent' || (work.answer === 'done' && clock.monotonicMs() < work.askAtMs);
    },
    /** Forgets what the instance said, because a request came or the instance has ended. */
    forget(instance: ServiceInstance, reason: 'request' | 'ended'): void {
      const { work } = instance;
      if (work === null) return;
      instance.work = null;
      end(instance, work, reason);
    },
  };
}

/** Frameworks refuse unknown hosts and redirect plain HTTP, so the question names the service's public address. */
function toQuestion(publicUrl: string, timeoutMs: number): HttpQuestion {
  const { host, protocol } = new URL(publicUrl);
  const accept = ['User-Agent', 'Berth-Busy-Check/1.0', 'Accept', 'application/json'];
  const headers = [...accept, 'X-Forwarded-Proto', protocol.slice(0, -1), 'X-Forwarded-Host', host];
  return { method: 'GET', path: BUSY_PATH, host, timeoutMs, headers, bodyBytes: BUSY_BODY_BYTES };
}
