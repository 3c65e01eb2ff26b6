export type {
  Artifact,
  FolderArtifact,
  ImageArtifact,
  LateApplication,
  ReleaseCommand,
  StoredArtifact,
} from './artifact.ts';
export type { CommandLimits, CommandOutcome, CommandSandbox, CommandSpec, SealOptions } from './command-sandbox.ts';
export { type ElementPart, escapeElement, expandCommand, splitElement } from './expand-command.ts';
export { createLineSplitter, type LineSplitter, MAX_LINE_BYTES } from './line-splitter.ts';
export { type ListeningSocket, loopbackPortsOf, parseListeners, portsOf } from './parse-listeners.ts';
export type {
  Capability,
  Instance,
  InstanceExit,
  InstanceSpec,
  InstanceStats,
  Mount,
  OutputSink,
  OutputStream,
  Owner,
  PrepareOptions,
  Runtime,
  VolumeFolder,
} from './runtime.ts';
export { createStandbys, type Standby, type StandbyPlan, type StandbysOptions } from './standbys.ts';
