import type { CommandGroup } from '../command/command.ts';
import { activity } from './activity.ts';
import { admin } from './admin/index.ts';
import { agent } from './agent/index.ts';
import { audit } from './audit.ts';
import { cancel } from './cancel.ts';
import { chat } from './chat.ts';
import { cost } from './cost.ts';
import { cron } from './cron/index.ts';
import { deploy } from './deploy.ts';
import { deploys } from './deploys.ts';
import { dev } from './dev.ts';
import { doctor } from './doctor.ts';
import { domain } from './domain/index.ts';
import { env } from './env/index.ts';
import { follow } from './follow.ts';
import { get } from './get.ts';
import { identities } from './identities/index.ts';
import { init } from './init.ts';
import { keys } from './keys/index.ts';
import { login } from './login.ts';
import { logout } from './logout.ts';
import { logs } from './logs.ts';
import { ls } from './ls.ts';
import { members } from './members/index.ts';
import { metrics } from './metrics.ts';
import { open } from './open.ts';
import { passkeys } from './passkeys/index.ts';
import { password } from './password.ts';
import { plans } from './plans.ts';
import { profile } from './profile.ts';
import { redeploy } from './redeploy.ts';
import { rm } from './rm.ts';
import { rollback } from './rollback.ts';
import { sessions } from './sessions/index.ts';
import { sql } from './sql.ts';
import { subscription } from './subscription.ts';
import { token } from './token.ts';
import { volume } from './volume/index.ts';
import { whoami } from './whoami.ts';
import { workspaces } from './workspaces.ts';

/** All commands. */
export const berthCommands: CommandGroup = {
  name: 'berth',
  summary: 'Deploy and run services on a Berth server',
  commands: [
    init,
    dev,
    deploy,
    ls,
    get,
    logs,
    open,
    chat,
    workspaces,
    redeploy,
    rollback,
    deploys,
    follow,
    cancel,
    rm,
    env,
    domain,
    volume,
    agent,
    cron,
    login,
    logout,
    whoami,
    token,
    activity,
    metrics,
    sql,
    cost,
    subscription,
    plans,
    keys,
    members,
    sessions,
    identities,
    passkeys,
    password,
    profile,
    audit,
    doctor,
    admin,
  ],
};
