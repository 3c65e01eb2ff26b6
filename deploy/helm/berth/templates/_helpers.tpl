{{- define "berth.name" -}}
{{- .Release.Name | trunc 53 | trimSuffix "-" -}}
{{- end }}

{{- define "berth.selector" -}}
app.kubernetes.io/name: berth
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "berth.labels" -}}
{{ include "berth.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- end }}

{{- define "berth.claim" -}}
{{- .Values.volumes.existingClaim | default (printf "%s-volumes" (include "berth.name" .)) -}}
{{- end }}

{{- define "berth.fromSecret" -}}
- name: {{ .name }}
  valueFrom: { secretKeyRef: { name: {{ .secret }}, key: {{ .key }} } }
{{- end }}

{{/* The database and the objects, of servers and collectors. */}}
{{- define "berth.storage" -}}
{{- include "berth.fromSecret" (dict "name" "BERTH_DATABASE_URL" "secret" (required "Set database.existingSecret." .Values.database.existingSecret) "key" "url") | nindent 0 }}
{{- if .Values.s3.bucket }}
{{- if not .Values.volumes.enabled }}
- { name: BERTH_S3_BUCKET, value: {{ .Values.s3.bucket | quote }} }
{{- end }}
- { name: BERTH_S3_LOG_BUCKET, value: {{ .Values.s3.logBucket | default .Values.s3.bucket | quote }} }
- { name: BERTH_S3_REGION, value: {{ .Values.s3.region | quote }} }
{{- if .Values.s3.endpoint }}
- { name: BERTH_S3_ENDPOINT, value: {{ .Values.s3.endpoint | quote }} }
{{- end }}
{{- if .Values.s3.existingSecret }}
{{- include "berth.fromSecret" (dict "name" "BERTH_S3_ACCESS_KEY_ID" "secret" .Values.s3.existingSecret "key" "access-key-id") | nindent 0 }}
{{- include "berth.fromSecret" (dict "name" "BERTH_S3_SECRET_ACCESS_KEY" "secret" .Values.s3.existingSecret "key" "secret-access-key") | nindent 0 }}
{{- end }}
{{- end }}
{{- if .Values.volumes.enabled }}
- { name: BERTH_SHARED_FOLDER, value: /shared }
{{- end }}
{{- end }}
