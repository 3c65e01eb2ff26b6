export { enforced, missing, partial } from './capability.ts';
export { dialAddress, dialInNetwork, toConnection } from './connect.ts';
export { SESSION_MARK, signalMarked } from './exec.ts';
export { findExecutable, isExecutable, requireProgram, SYSTEM_PROGRAM_FOLDERS } from './find-executable.ts';
export { createDelivery, OUTPUT_GIVE_UP_MS, waitAtMost, writeNote } from './output.ts';
export {
  hasProcessTable,
  isDoomed,
  KILLED_WAIT_MS,
  PAGE_BYTES,
  type ProcessInfo,
  parseProcessStat,
  readProcess,
  readProcesses,
  TICKS_PER_SECOND,
} from './read-processes.ts';
export { type ProbeOptions, type ProbeResult, runProbe } from './run-probe.ts';
export { createStop, DEFAULT_GRACE_MS, signalOfExitCode } from './stop.ts';
export { type RemovableInstance, trackStarts } from './track-starts.ts';
