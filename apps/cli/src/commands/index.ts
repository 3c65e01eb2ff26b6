import type { CommandGroup, CommandSpec } from '../command/command.ts';
import { activity } from './account/activity.ts';
import { audit } from './account/audit.ts';
import { cost } from './account/cost.ts';
import { plans } from './account/plans.ts';
import { sql } from './account/sql.ts';
import { subscription } from './account/subscription.ts';
import { accountCreate } from './admin/account/create.ts';
import { accountPlan } from './admin/account/plan.ts';
import { adminBackup } from './admin/backup.ts';
import { adminBackupsCreate } from './admin/backups/create.ts';
import { adminBackupsGet } from './admin/backups/get.ts';
import { adminBackupsLs } from './admin/backups/ls.ts';
import { adminDisk } from './admin/disk.ts';
import { adminMailLs } from './admin/mail/ls.ts';
import { adminMailTest } from './admin/mail/test.ts';
import { adminMigrate } from './admin/migrate.ts';
import { adminPrune } from './admin/prune.ts';
import { adminReconcile } from './admin/reconcile.ts';
import { adminRestore } from './admin/restore.ts';
import { adminRotateKey } from './admin/rotate-key.ts';
import { chat } from './agent/chat.ts';
import { evaluate } from './agent/eval.ts';
import { mcp } from './agent/mcp.ts';
import { agentRotateKeys } from './agent/rotate-keys.ts';
import { token } from './agent/token.ts';
import { workspaces } from './agent/workspaces.ts';
import { alertsCreate } from './alerts/create.ts';
import { alertsHistory } from './alerts/history.ts';
import { alertsLs } from './alerts/ls.ts';
import { alertsRm } from './alerts/rm.ts';
import { alertsTest } from './alerts/test.ts';
import { alertsUpdate } from './alerts/update.ts';
import { approvalsApprove } from './approvals/approve.ts';
import { approvalsDeny } from './approvals/deny.ts';
import { approvalsLs } from './approvals/ls.ts';
import { cronHistory } from './cron/history.ts';
import { cronLs } from './cron/ls.ts';
import { cronRun } from './cron/run.ts';
import { apply } from './deploy/apply.ts';
import { cancel } from './deploy/cancel.ts';
import { deploy } from './deploy/deploy.ts';
import { deploys } from './deploy/deploys.ts';
import { follow } from './deploy/follow.ts';
import { promote } from './deploy/promote.ts';
import { redeploy } from './deploy/redeploy.ts';
import { rollback } from './deploy/rollback.ts';
import { scale } from './deploy/scale.ts';
import { restart, resume, stop } from './deployment/change-state.ts';
import { exec } from './deployment/exec.ts';
import { get } from './deployment/get.ts';
import { logs } from './deployment/logs.ts';
import { ls } from './deployment/ls.ts';
import { metrics } from './deployment/metrics.ts';
import { open } from './deployment/open.ts';
import { proxy } from './deployment/proxy.ts';
import { ps } from './deployment/ps.ts';
import { rm } from './deployment/rm.ts';
import { run } from './deployment/run.ts';
import { status } from './deployment/status.ts';
import { traffic } from './deployment/traffic.ts';
import { doctor } from './doctor.ts';
import { domainAdd } from './domain/add.ts';
import { domainLs } from './domain/ls.ts';
import { domainRm } from './domain/rm.ts';
import { domainVerify } from './domain/verify.ts';
import { envLs } from './env/ls.ts';
import { envPull } from './env/pull.ts';
import { envRefresh } from './env/refresh.ts';
import { envRm } from './env/rm.ts';
import { envSet } from './env/set.ts';
import { gitCredential } from './git/credential.ts';
import { gitSetup } from './git/setup.ts';
import { identitiesLs } from './identities/ls.ts';
import { identitiesRm } from './identities/rm.ts';
import { keysCreate } from './keys/create.ts';
import { keysLs } from './keys/ls.ts';
import { keysRm } from './keys/rm.ts';
import { membersInvite } from './members/invite.ts';
import { membersInvites } from './members/invites.ts';
import { membersLeave } from './members/leave.ts';
import { membersLs } from './members/ls.ts';
import { membersResetPassword } from './members/reset-password.ts';
import { membersRm } from './members/rm.ts';
import { membersRole } from './members/role.ts';
import { membersUninvite } from './members/uninvite.ts';
import { passkeysLs } from './passkeys/ls.ts';
import { passkeysRename } from './passkeys/rename.ts';
import { passkeysRm } from './passkeys/rm.ts';
import { email } from './person/email.ts';
import { login } from './person/login.ts';
import { logout } from './person/logout.ts';
import { password } from './person/password.ts';
import { profile } from './person/profile.ts';
import { whoami } from './person/whoami.ts';
import { createCompletion } from './project/completion.ts';
import { dev } from './project/dev.ts';
import { init } from './project/init.ts';
import { link } from './project/link.ts';
import { repoConnect } from './repo/connect.ts';
import { repoDisconnect } from './repo/disconnect.ts';
import { previewEnvRm, previewEnvSet } from './repo/preview-env.ts';
import { repoShow } from './repo/show.ts';
import { serviceInstall } from './service/install.ts';
import { start } from './service/start.ts';
import { serviceStatus } from './service/status.ts';
import { serviceUninstall } from './service/uninstall.ts';
import { sessionsEnd } from './sessions/end.ts';
import { sessionsLs } from './sessions/ls.ts';
import { sharedLs } from './shared/ls.ts';
import { sharedRm } from './shared/rm.ts';
import { sharedSet } from './shared/set.ts';
import { volumeCreate } from './volume/create.ts';
import { volumeDelete } from './volume/delete.ts';
import { volumeExport } from './volume/export.ts';
import { volumeGet } from './volume/get.ts';
import { volumeImport } from './volume/import.ts';
import { volumeLs } from './volume/ls.ts';
import { volumeMv } from './volume/mv.ts';
import { volumePut } from './volume/put.ts';
import { volumeRestore } from './volume/restore.ts';
import { volumeRm } from './volume/rm.ts';

/** All commands, in the order of the help. */
export const berthCommands: CommandGroup = {
  name: 'berth',
  summary: 'Deploy and run services on a Berth server',
  commands: [
    ...under(
      'Build and deploy',
      init,
      link,
      dev,
      deploy,
      apply,
      redeploy,
      scale,
      rollback,
      promote,
      traffic,
      deploys,
      follow,
      cancel,
      { name: 'git', summary: 'Deploys by `git push`', commands: [gitSetup, gitCredential] },
    ),
    ...under(
      'Deployments',
      status,
      ls,
      get,
      exec,
      run,
      proxy,
      ps,
      restart,
      stop,
      resume,
      logs,
      metrics,
      activity,
      open,
      {
        name: 'env',
        summary: 'Environment variables and secrets of a deployment',
        commands: [envSet, envLs, envPull, envRefresh, envRm],
      },
      {
        name: 'shared',
        summary: 'Variables that several deployments refer to',
        commands: [sharedSet, sharedLs, sharedRm],
      },
      {
        name: 'domain',
        summary: 'Custom domains of a deployment',
        commands: [domainAdd, domainVerify, domainLs, domainRm],
      },
      {
        name: 'repo',
        summary: 'The repository whose pushes deploy, and previews of pull requests',
        commands: [
          repoConnect,
          repoShow,
          repoDisconnect,
          {
            name: 'preview-env',
            summary: 'Variables that only previews get',
            commands: [previewEnvSet, previewEnvRm],
          },
        ],
      },
      {
        name: 'alerts',
        summary: 'Alerts by mail and webhook',
        commands: [alertsLs, alertsCreate, alertsUpdate, alertsTest, alertsHistory, alertsRm],
      },
      { name: 'cron', summary: 'Schedules and their run history', commands: [cronLs, cronHistory, cronRun] },
      rm,
    ),
    ...under(
      'Agents',
      chat,
      evaluate,
      workspaces,
      {
        name: 'approvals',
        summary: 'Pending tool calls of agents',
        commands: [approvalsLs, approvalsApprove, approvalsDeny],
      },
      token,
      mcp,
      { name: 'agent', summary: 'Encryption keys of agents', commands: [agentRotateKeys] },
    ),
    ...under(
      'Data',
      {
        name: 'volume',
        summary: 'Volumes and file transfers',
        commands: [
          volumeCreate,
          volumeLs,
          volumePut,
          volumeGet,
          volumeMv,
          volumeRm,
          volumeExport,
          volumeImport,
          volumeDelete,
          volumeRestore,
        ],
      },
      sql,
    ),
    ...under(
      'Account and billing',
      login,
      logout,
      whoami,
      password,
      profile,
      email,
      { name: 'passkeys', summary: 'Your passkeys', commands: [passkeysLs, passkeysRename, passkeysRm] },
      {
        name: 'identities',
        summary: 'Identity providers that you sign in with',
        commands: [identitiesLs, identitiesRm],
      },
      { name: 'sessions', summary: 'Your sessions', commands: [sessionsLs, sessionsEnd] },
      { name: 'keys', summary: 'API keys of the account', commands: [keysLs, keysCreate, keysRm] },
      {
        name: 'members',
        summary: 'Members of the account and their roles',
        commands: [
          membersLs,
          membersInvite,
          membersInvites,
          membersUninvite,
          membersRole,
          membersResetPassword,
          membersRm,
          membersLeave,
        ],
      },
      audit,
      cost,
      subscription,
      plans,
    ),
    ...under(
      'Server',
      start,
      {
        name: 'service',
        summary: 'The server as a systemd service of this machine',
        commands: [serviceInstall, serviceStatus, serviceUninstall],
      },
      doctor,
      createCompletion(() => berthCommands),
      {
        name: 'admin',
        summary: 'Operator commands',
        commands: [
          adminBackup,
          adminRestore,
          {
            name: 'backups',
            summary: 'Scheduled backups in a bucket',
            commands: [adminBackupsLs, adminBackupsCreate, adminBackupsGet],
          },
          adminRotateKey,
          adminDisk,
          adminMigrate,
          adminPrune,
          { name: 'mail', summary: 'E-mail of the server', commands: [adminMailLs, adminMailTest] },
          { name: 'account', summary: 'Manage accounts of the server', commands: [accountCreate, accountPlan] },
          adminReconcile,
        ],
      },
    ),
  ],
};

/** Returns the nodes with the heading under which the help lists them. */
function under(heading: string, ...nodes: readonly (CommandSpec | CommandGroup)[]): (CommandSpec | CommandGroup)[] {
  return nodes.map((node) => ({ ...node, heading }));
}
