import { type BerthError, type InstanceId, runInBackground } from '@berth/kit';
import type { InstanceExit } from '@berth/runtime';
import type { RevisionTarget, StartReason, StopReason } from '../port/gateway.ts';
import { createBusyWatch } from './busy-watch.ts';
import type { InstanceContext } from './instance-context.ts';
import { createInstanceEvents } from './instance-events.ts';
import { measureInstance } from './measure-instance.ts';
import { waitForPort } from './probe-port.ts';
import { ServiceInstance } from './service-instance.ts';
import { startCancelled } from './start-errors.ts';
import { startInstance } from './start-instance.ts';

/** Callbacks for the instances of a lifecycle. */
export interface InstanceOwner {
  /** Called when an instance takes requests: `startMs` after its start began, or again when that is undefined. */
  onReady(instance: ServiceInstance, startMs: number | undefined): void;
  /** Called when an instance that was ready or suspended stops taking requests, for now or for good. */
  onNotReady(instance: ServiceInstance): void;
  onStartFailed(instance: ServiceInstance, error: BerthError): void;
  /** Called when an instance ended by itself, after its requests have failed. */
  onCrashed(instance: ServiceInstance, exit: InstanceExit): void;
  /** Called when an instance's machine will soon end it. Its end doesn't count as a crash. */
  onEvicted(instance: ServiceInstance): void;
  /** Called last, once for every instance, when nothing of it is left. */
  onGone(instance: ServiceInstance): void;
}

/** A start under way. */
export interface Start {
  readonly instance: ServiceInstance;
  /**
   * Settles with the start.
   * @throws BerthError `start_failed`, `start_timeout`, `port_not_open`, `out_of_capacity` or `cancelled`.
   */
  readonly ready: Promise<void>;
}

/** The transitions of one revision's instances. */
export type InstanceLifecycle = ReturnType<typeof createInstanceLifecycle>;

/**
 * Creates the transitions of a revision's instances from start to end. Invariants:
 * L1: An instance is signaled only when it serves nothing, or at its drain deadline (I5). A replaced one is not signaled while it is busy.
 * L2: Its capacity is released when it has ended, and not before.
 * L3: `onGone` is called once, and the `ended` event is emitted once for an instance that got a start slot.
 */
export function createInstanceLifecycle(context: InstanceContext, target: RevisionTarget, owner: InstanceOwner) {
  const { clock, policy, logger } = context;
  const events = createInstanceEvents(context, target);
  const watch = createBusyWatch(context, target, events);

  const finish = (instance: ServiceInstance) => {
    instance.state = 'gone';
    instance.healthTimer?.cancel();
    for (const timer of instance.timers) timer.cancel();
    watch.forget(instance, 'ended');
    instance.billable.stop(clock.monotonicMs());
    instance.breakOff();
    instance.reservation?.release();
    if (instance.scheduledAtMs !== null) {
      events.billed(instance);
      events.emit(instance, { kind: 'ended' });
    }
    owner.onGone(instance);
  };

  const stop = (instance: ServiceInstance) => {
    if (instance.handle === null) return;
    instance.mayFinishWork = false;
    instance.reservation?.releaseSoon();
    void measureInstance(context, events, instance);
    runInBackground('stop instance', instance.handle.stop({ graceMs: policy.stopGraceMs }), logger);
  };

  /** Stops a draining instance without requests, after its work if it may finish that. */
  const stopWhenDone = (instance: ServiceInstance) => {
    if (!instance.mayFinishWork) return stop(instance);
    const asked = watch.ask(instance).then(() => {
      if (instance.mayFinishWork && watch.isDone(instance)) stop(instance);
    });
    runInBackground('ask for work', asked, logger);
  };

  const becomeReady = (instance: ServiceInstance, startMs?: number) => {
    instance.state = 'ready';
    instance.idleSinceMs = clock.monotonicMs();
    owner.onReady(instance, startMs);
    watchHealth(instance, 0);
  };

  /** Drains and stops an instance that can't serve. Its requests may finish, and its end counts as a crash. */
  const giveUp = (instance: ServiceInstance) => {
    instance.isBroken = true;
    instance.state = 'draining';
    if (instance.inFlight === 0) stop(instance);
    else setDeadline(instance, policy.drainMaxMs, policy.webSocketGraceMs);
  };

  /** Takes an instance out until it is ready again, and gives it up when that takes too long. */
  const takeOut = (instance: ServiceInstance, reason: string) => {
    const { handle, readiness } = instance;
    if (instance.state !== 'ready' || handle === null || readiness === null) return;
    instance.state = 'unready';
    instance.waitAbort = new AbortController();
    owner.onNotReady(instance);
    logger.warn({ instance: instance.id, deployment: target.deployment }, reason);
    const wait = waitForPort({
      instance: handle,
      probe: context.probes.port,
      readiness,
      clock,
      policy,
      timeoutMs: policy.unreadyMaxMs,
      signal: instance.waitAbort.signal,
    }).then((outcome) => {
      if (instance.state !== 'unready') return;
      if (outcome === 'ready') becomeReady(instance);
      else if (outcome === 'timeout') giveUp(instance);
    });
    runInBackground('wait for instance', wait, logger);
  };

  /** Checks the health of an instance after each interval, while it is ready. */
  const watchHealth = (instance: ServiceInstance, failures: number) => {
    const { health } = target;
    const { readiness } = instance;
    if (health === undefined || readiness === null) return;
    const check = async () => {
      if (instance.state !== 'ready') return;
      // A full instance shows its health by its requests; the check would be one request too many and wait for a slot.
      if (instance.inFlight >= target.concurrency) return watchHealth(instance, failures);
      const isHealthy = await readiness.check();
      // The instance may have been taken out during the check, and may have a new timer.
      if (instance.state !== 'ready' || instance.healthTimer !== timer) return;
      const count = isHealthy ? 0 : failures + 1;
      if (count < policy.unhealthyAfter) return watchHealth(instance, count);
      const message = `${readiness.problem}, ${count} times in a row. It gets no requests until the check passes.`;
      events.emit(instance, { kind: 'unhealthy', message });
      takeOut(instance, 'instance is unhealthy');
    };
    instance.healthTimer?.cancel();
    const timer = clock.setTimer(health.intervalMs, () => runInBackground('check health', check(), logger));
    instance.healthTimer = timer;
  };

  const setDeadline = (instance: ServiceInstance, withinMs: number, tunnelGraceMs: number) => {
    const closeTunnels = () => {
      for (const tunnel of [...instance.tunnels]) tunnel.close();
    };
    const cutOff = () => {
      instance.breakOff();
      stopWhenDone(instance);
    };
    instance.timers.push(
      clock.setTimer(Math.min(tunnelGraceMs, withinMs), closeTunnels),
      clock.setTimer(withinMs, cutOff),
    );
  };

  const onExit = (instance: ServiceInstance, exit: InstanceExit) => {
    // Another process has it.
    if (instance.state === 'gone') return;
    instance.waitAbort.abort();
    // startInstance() sees the exit too, and reports why the start failed.
    if (instance.state === 'starting' || instance.state === 'failed') return;
    if (instance.stopReason !== null && (exit.isRequested || instance.stopReason === 'evicted')) {
      if (instance.state !== 'draining') owner.onNotReady(instance);
      events.emit(instance, { kind: 'stopped', reason: instance.stopReason, exit });
    } else {
      if (instance.state !== 'draining') owner.onNotReady(instance);
      instance.state = 'draining';
      events.emit(instance, { kind: 'crashed', exit });
      instance.breakOff();
      owner.onCrashed(instance, exit);
    }
    finish(instance);
  };

  const run = async (instance: ServiceInstance, onNotice: (message: string) => void) => {
    const outcome = await startInstance(context, target, instance, {
      onSpawned(handle) {
        events.emit(instance, { kind: 'started', reason: instance.reason });
        runInBackground(
          'watch instance',
          handle.exited.then((ended) => onExit(instance, ended)),
          logger,
        );
        void handle.evicted?.then(() => {
          if (instance.state === 'gone' || instance.stopReason !== null) return;
          instance.stopReason = 'evicted';
          owner.onEvicted(instance);
        });
      },
      onNotice,
    });
    if (outcome.error === undefined) {
      instance.upstream = context.createUpstream(outcome.handle, instance.readiness?.useHttp2 ?? false);
      instance.readyAtMs = clock.monotonicMs();
      instance.billable.stop(instance.readyAtMs);
      const startMs = instance.readyAtMs - (instance.scheduledAtMs ?? instance.requestedAtMs);
      events.emit(instance, { kind: 'ready', startMs });
      becomeReady(instance, startMs);
      return;
    }
    const { error, exit } = outcome;
    instance.state = 'failed';
    if (instance.isLeft && instance.handle?.release !== undefined) {
      instance.handle.release();
      finish(instance);
      throw error;
    }
    if (instance.stopReason === null) {
      const { message } = error;
      events.emit(instance, { kind: 'start_failed', message, ...(exit === undefined ? {} : { exit }) });
    }
    owner.onStartFailed(instance, error);
    if (instance.handle !== null) {
      instance.reservation?.releaseSoon();
      const ended = await instance.handle.stop({ graceMs: policy.stopGraceMs });
      const { stopReason: stopped } = instance;
      if (stopped !== null) events.emit(instance, { kind: 'stopped', reason: stopped, exit: ended });
    }
    finish(instance);
    throw error;
  };

  return {
    /**
     * @param onNotice Called with each message for the owner.
     * @param id of a running instance, which the runtime adopts
     */
    start(
      reason: StartReason,
      onNotice: (message: string) => void = () => {},
      id: InstanceId = context.ids.next<'instance'>('inst'),
    ): Start {
      const affinityKey = target.sessionAffinity ? context.signAffinity(target, id) : '';
      const instance = new ServiceInstance(id, reason, affinityKey, clock.monotonicMs());
      const ready = run(instance, onNotice);
      // Callers that need the outcome await it; the owner's callbacks get it in any case.
      ready.catch(() => {});
      return { instance, ready };
    },
    /**
     * Takes the instance out of service and stops it once it serves nothing. Tunnels get a close frame after a grace period; requests
     * that still run after `withinMs` are aborted. A replaced instance that is busy then goes on, unless `withinMs` is 0. A second call
     * can only shorten these times.
     */
    drain(instance: ServiceInstance, reason: StopReason, withinMs: number): void {
      const { state } = instance;
      if (state === 'gone' || state === 'failed') return;
      instance.stopReason ??= reason;
      if (state === 'starting') {
        instance.waitAbort.abort(startCancelled());
        return;
      }
      const mayFinishWork = reason === 'replaced' && withinMs > 0;
      if (state === 'draining') {
        const wasHeld = instance.mayFinishWork && instance.inFlight === 0;
        instance.mayFinishWork &&= mayFinishWork;
        if (wasHeld) stopWhenDone(instance);
      } else {
        instance.state = 'draining';
        instance.mayFinishWork = mayFinishWork;
        instance.waitAbort.abort();
        owner.onNotReady(instance);
        if (instance.inFlight === 0 && (state === 'suspended' || state === 'resuming')) {
          instance.reservation?.releaseSoon();
          // A frozen program can't act on SIGTERM.
          const thawed = instance.handle?.resume?.() ?? Promise.resolve();
          runInBackground(
            'resume instance',
            thawed.finally(() => stop(instance)),
            logger,
          );
          return;
        }
        if (instance.inFlight === 0) stopWhenDone(instance);
        else if (mayFinishWork) runInBackground('tell instance', watch.tellReplaced(instance), logger);
      }
      if (instance.inFlight === 0) return;
      // Clients of a replaced revision may reconnect to its successor after a grace; others have nothing to wait for.
      setDeadline(instance, withinMs, reason === 'replaced' ? policy.webSocketGraceMs : 0);
    },
    /** Forgets the instance, which another process adopts. One that can't be adopted is stopped. */
    leave(instance: ServiceInstance): void {
      const { state, handle } = instance;
      if (state === 'gone' || state === 'failed') return;
      const mayLeave = state === 'ready' || state === 'unready' || state === 'draining';
      if (state === 'starting' && instance.reason === 'adopted') {
        instance.isLeft = true;
        instance.waitAbort.abort(startCancelled());
        return;
      }
      if (!mayLeave || handle?.release === undefined) {
        this.drain(instance, 'shutdown', 0);
        return;
      }
      instance.waitAbort.abort();
      if (state === 'ready') owner.onNotReady(instance);
      handle.release();
      finish(instance);
    },
    /** Stops a draining instance whose last request has ended. */
    onEmpty: stopWhenDone,
    /** Asks an instance that said that it is busy again when that is due, and stops it if only its work kept it. */
    watchWork(instance: ServiceInstance): void {
      if (instance.work === null || !watch.isDue(instance)) return;
      if (instance.state === 'draining' && instance.mayFinishWork && instance.inFlight === 0) stopWhenDone(instance);
      else if (instance.isBusy) void watch.ask(instance);
    },
    /** Reports of instances about work without a request. */
    work: watch,
    /** Takes out an instance whose port refused a connection, until it is ready again. */
    markUnready(instance: ServiceInstance): void {
      takeOut(instance, 'an instance refuses connections');
    },
    /** Freezes the instance, where the runtime can. */
    suspend(instance: ServiceInstance): void {
      if (instance.state === 'ready') void measureInstance(context, events, instance);
      const suspended = instance.state === 'ready' ? instance.handle?.suspend?.() : undefined;
      if (suspended === undefined) return;
      instance.state = 'suspended';
      owner.onNotReady(instance);
      instance.upstream?.prune(true);
      suspended.then(
        () => {
          if (instance.state === 'suspended') events.emit(instance, { kind: 'suspended' });
        },
        (error: unknown) => {
          logger.warn({ instance: instance.id, error: String(error) }, 'instance could not be suspended');
          if (instance.state === 'suspended') becomeReady(instance);
        },
      );
    },
    /** Emits the billable time since the last call. */
    bill: events.billed,
    /** Resolves when a suspended instance takes requests again, or can't. */
    async resume(instance: ServiceInstance): Promise<void> {
      const resumed = instance.state === 'suspended' ? instance.handle?.resume?.() : undefined;
      if (resumed === undefined) return;
      instance.state = 'resuming';
      const askedAtMs = clock.monotonicMs();
      await resumed.then(
        () => {
          if (instance.state !== 'resuming') return;
          instance.resumedAtMs = clock.monotonicMs();
          // The time while it was frozen doesn't count into its CPU usage.
          if (instance.measured) instance.measured = { ...instance.measured, atMs: instance.resumedAtMs };
          events.emit(instance, { kind: 'resumed', resumeMs: instance.resumedAtMs - askedAtMs });
          becomeReady(instance);
        },
        (error: unknown) => {
          logger.warn({ instance: instance.id, error: String(error) }, 'instance could not be resumed');
          if (instance.state === 'resuming') giveUp(instance);
        },
      );
    },
  };
}
