import { defineCommand } from '../../command/command.ts';
import { UsageError } from '../../errors/usage-error.ts';
import { SERVICE } from '../../service/render-unit.ts';
import { findService, tryProgram } from '../../service/system.ts';

/** The properties of the unit, as systemd names them. */
const PROPERTIES = ['ActiveState', 'SubState', 'MainPID', 'NRestarts', 'UnitFileState', 'MemoryCurrent'] as const;

/** `berth service status`. */
export const serviceStatus = defineCommand({
  name: 'status',
  summary: 'Show whether the systemd service runs',
  description: 'Exits with 1 when it is not running.',
  examples: [['berth service status', 'its state, process and restarts']],
  async run(_input, { output }) {
    const service = findService();
    if (!service) throw new UsageError('No service is installed. Install one with `berth service install`.');
    const shown = await tryProgram('systemctl', ['show', SERVICE.unit, `--property=${PROPERTIES.join(',')}`]);
    const values = Object.fromEntries((shown ?? '').split('\n').map((line) => line.split('=') as [string, string]));
    const isActive = values['ActiveState'] === 'active';
    output.json({
      unit: SERVICE.unit,
      active: isActive,
      state: values['ActiveState'] ?? 'unknown',
      enabled: values['UnitFileState'] === 'enabled',
      pid: Number(values['MainPID'] ?? 0) || null,
      restarts: Number(values['NRestarts'] ?? 0),
      user: service.user,
      data_folder: service.dataFolder,
    });
    output.print(`${SERVICE.unit}: ${values['ActiveState'] ?? 'unknown'} (${values['SubState'] ?? 'unknown'})`);
    output.print(`  Process    ${values['MainPID'] ?? '-'}, restarted ${values['NRestarts'] ?? '0'} times`);
    output.print(`  At boot    ${values['UnitFileState'] ?? 'unknown'}`);
    output.print(`  User       ${service.user}`);
    output.print(`  Data       ${service.dataFolder}`);
    return isActive ? 0 : 1;
  },
});
