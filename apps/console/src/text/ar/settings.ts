import type { Translation } from '@berth/ui';
import type { settings as source } from '../en/settings.ts';

export const settings: Translation<typeof source> = {
  'setting.port': 'المنفذ',
  'setting.port.hint': 'ما يستمع إليه، ويُعطى له في PORT',
  'setting.memory': 'الذاكرة',
  'setting.memory.hint': 'من {min} إلى {max}',
  'setting.cpu': 'المعالجات',
  'setting.cpu.hint': 'من {min} إلى {max}، أو 2 أو 4 أو 6 أو 8',
  'setting.timeout': 'أطول طلب (بالثواني)',
  'setting.timeout.hint': 'من {min} إلى {max}',
  'setting.concurrency': 'الطلبات المتزامنة',
  'setting.concurrency.hint': 'التي تخدمها نسخة واحدة، من {min} إلى {max}',
  'setting.max_instances': 'أقصى عدد للنسخ',
  'setting.max_instances.hint': '0 يتركه للمنصة',
  'setting.min_instances': 'أدنى عدد للنسخ',
  'setting.min_instances.hint': 'تبقى قيد التشغيل دون طلبات، وتُحتسب كل الوقت',
  'setting.session_affinity': 'إبقاء الزائر مع نسخة واحدة',
  'setting.use_http2': 'التحدث إليه بـ HTTP/2 دون TLS',
  'setting.volumes': 'وحدات التخزين',
  'setting.schedule': 'الجدول الزمني',
  'setting.schedule.hint': 'خمسة حقول cron، مثل 0 4 * * *؛ فارغ لعدم الجدولة',
  'setting.timezone': 'المنطقة الزمنية',
  'setting.health': 'فحص السلامة',
  'setting.health.hint': 'مسار مثل ⁦/healthz⁩؛ فارغ لعدم الفحص',
};
