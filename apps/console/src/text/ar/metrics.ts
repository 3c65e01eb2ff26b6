import type { Translation } from '@berth/ui';
import type { metrics as source } from '../en/metrics.ts';

export const metrics: Translation<typeof source> = {
  'plots.label': 'المقاييس',
  'plots.range': 'النطاق الزمني',
  'plots.custom': 'نطاق مخصص',
  'plots.show': 'تطبيق',
  'plots.wrongRange': 'يجب أن تكون النهاية بعد البداية، وبفارق سنة على الأكثر.',
  'plots.earlier': 'أقدم',
  'plots.later': 'أحدث',
  'plots.out': 'تصغير',
  'plots.in': 'تكبير',
  'plots.now': 'الآن',
  'plots.table': 'جدول',
  'plots.plots': 'رسوم بيانية',
  'plots.tableLabel': 'المقاييس حسب الوقت',
  'plots.hint': 'اسحب للتكبير',
  'plots.coldParts': 'تفصيل البدايات الباردة',
  'plots.coldParts.said': {
    one: 'بداية باردة واحدة، {total} حتى أول بايت',
    two: 'بدايتان باردتان، {total} حتى أول بايت في المتوسط',
    few: '{count} بدايات باردة، {total} حتى أول بايت في المتوسط',
    many: '{count} بداية باردة، {total} حتى أول بايت في المتوسط',
    other: '{count} بداية باردة، {total} حتى أول بايت في المتوسط',
  },
  'plots.coldParts.none': 'لا بدايات باردة في هذا النطاق الزمني',
  'plots.part.queued': 'الانتظار',
  'plots.part.scheduled': 'الجدولة',
  'plots.part.spawned': 'بدء العملية',
  'plots.part.port_open': 'فتح المنفذ',
  'plots.part.first_byte': 'أول بايت',
};
