export type { Artifact, FolderArtifact, ImageArtifact } from './artifact.ts';
export type { CommandLimits, CommandOutcome, CommandSandbox, CommandSpec } from './command-sandbox.ts';
export { escapeElement, expandCommand } from './expand-command.ts';
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
  Runtime,
} from './runtime.ts';
