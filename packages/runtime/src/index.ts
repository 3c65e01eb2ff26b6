export type {
  Artifact,
  FolderArtifact,
  ImageArtifact,
  LateApplication,
  ReleaseCommand,
  StoredArtifact,
} from './artifact.ts';
export type { CommandLimits, CommandOutcome, CommandSandbox, CommandSpec, SealOptions } from './command-sandbox.ts';
export type { ConnectSpec, InstanceConnection } from './connect.ts';
export {
  type ExecExit,
  type ExecProcess,
  type ExecSignal,
  type ExecSpec,
  SHELL_COMMAND,
  type TerminalSize,
  type TerminalSpec,
} from './exec.ts';
export { type ElementPart, escapeElement, expandCommand, splitElement } from './expand-command.ts';
export { createLineSplitter, type LineSplitter, MAX_LINE_BYTES } from './line-splitter.ts';
export type { OutputSink, OutputStream } from './output-sink.ts';
export { type ListeningSocket, loopbackPortsOf, parseListeners, portsOf } from './parse-listeners.ts';
export type {
  Capability,
  Instance,
  InstanceExit,
  InstanceSpec,
  InstanceStats,
  Mount,
  Owner,
  PrepareOptions,
  Runtime,
  VolumeFolder,
} from './runtime.ts';
export { createStandbys, type Standby, type StandbyPlan, type StandbysOptions } from './standbys.ts';
