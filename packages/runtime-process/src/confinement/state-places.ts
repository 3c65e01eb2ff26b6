/** Claims of ids and control groups. The folder is empty after a boot, and so are the control groups. */
export const CLAIM_FOLDER = '/run/berth';
/** In the data folder: the state of a runtime. */
export const STATE_FOLDER = 'runtime';
/** In the state folder: a record of each running program. */
export const RECORD_FOLDER = 'running';
/** In the state folder: the token of the latest server. */
export const TOKEN_FILE = 'server';
/** In the state folder: the ids of each owner. */
export const USERS_FILE = 'users.json';
