import { setTimeout as sleep } from 'node:timers/promises';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { createMachineUse, type MachineUse, readMachineSample } from './machine-use.ts';

/** Programs that run containers, clusters and databases for a benchmark. */
const ENGINES = /^(dockerd|containerd|containerd-shim.*|postgres|kubelet|kube-.*|k3s.*|etcd)$/;
const SAMPLE_MS = 3_000;
const LOOK_MS = 1_500;

/** A watch over a measurement. */
export interface MachineWatch {
  /** Ends the watch. Returns why the figures of this time may not be published; none when the machine was quiet. */
  stop(): Promise<readonly string[]>;
}

/** Returns why the machine is too busy to begin, one sentence each. Takes 1.5 s. */
export async function findLoad(): Promise<readonly string[]> {
  const use = createMachineUse(process.pid);
  const first = addSample(use);
  if (first === undefined) return [];
  await sleep(LOOK_MS);
  addSample(use);
  const { loadAverage, cores } = first;
  if (loadAverage <= cores) return use.reasons();
  return [`the load average of the last minute is ${loadAverage} on ${cores} cores: wait a minute`, ...use.reasons()];
}

/** Starts to watch what else uses the machine, in a thread, so that looking doesn't delay the measurement. */
export function watchMachine({ hasEngine }: { readonly hasEngine: boolean }): MachineWatch {
  const worker = new Worker(new URL(import.meta.url), { workerData: { hasEngine } });
  worker.unref();
  const reasons = new Promise<readonly string[]>((resolve, reject) => {
    worker.once('message', resolve);
    worker.once('error', reject);
  });
  return {
    stop() {
      worker.ref();
      worker.postMessage('stop');
      return reasons;
    },
  };
}

function addSample(use: MachineUse) {
  const sample = readMachineSample();
  if (sample !== undefined) use.add(sample);
  return sample;
}

if (!isMainThread && parentPort !== null) {
  const { hasEngine } = workerData as { readonly hasEngine: boolean };
  const use = createMachineUse(process.pid, (name) => hasEngine && ENGINES.test(name));
  addSample(use);
  const timer = setInterval(() => addSample(use), SAMPLE_MS);
  parentPort.once('message', () => {
    clearInterval(timer);
    addSample(use);
    parentPort?.postMessage(use.reasons());
  });
}
