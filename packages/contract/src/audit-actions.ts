// The actions of the audit log. They are separate from the schemas, because pages import them without validation.

/** Every action that the platform records, as `<noun>.<verb>`. Entries of earlier versions may have others. */
export const AUDIT_ACTIONS = [
  ...(['account.create', 'account.first_run', 'account.plan'] as const),
  ...(['alert.create', 'alert.update', 'alert.delete', 'alert.rotate_secret'] as const),
  ...(['deployment.deploy', 'deployment.redeploy', 'deployment.rollback'] as const),
  ...(['deployment.restart', 'deployment.stop', 'deployment.resume'] as const),
  ...(['deployment.cancel', 'deployment.delete', 'deployment.traffic', 'deployment.set_branch'] as const),
  ...(['device.approve', 'device.deny'] as const),
  ...(['domain.add', 'domain.verify', 'domain.remove'] as const),
  'environment.set',
  'environment.set_shared',
  ...(['exec.start', 'exec.end', 'run.start', 'run.end', 'proxy.start', 'proxy.end'] as const),
  ...(['identity.link', 'identity.unlink', 'identity.replace-keys'] as const),
  ...(['key.create', 'key.revoke'] as const),
  ...(['member.invite', 'member.uninvite', 'member.join', 'member.change', 'member.remove', 'member.leave'] as const),
  ...(['passkey.create', 'passkey.rename', 'passkey.delete', 'passkey.sign_in', 'passkey.refuse'] as const),
  ...(['password.change', 'password.reset_link', 'password.reset_mail', 'password.reset'] as const),
  ...(['person.rename', 'person.email_link', 'person.email'] as const),
  ...(['platform.backup', 'platform.prune'] as const),
  ...(['repository.connect', 'repository.disconnect', 'repository.set_preview_environment'] as const),
  'schedule.run',
  ...(['volume.create', 'volume.delete', 'volume.restore'] as const),
  ...(['volume.upload', 'volume.move_object', 'volume.delete_object'] as const),
] as const;

export type AuditAction = (typeof AUDIT_ACTIONS)[number];

/** The kind of thing that an action changes: the part before the dot. */
export type AuditNoun = AuditAction extends `${infer Noun}.${string}` ? Noun : never;
