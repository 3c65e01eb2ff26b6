{{- define "berth.name" -}}
{{- .Release.Name | trunc 53 | trimSuffix "-" -}}
{{- end }}

{{/* Name of what belongs to no namespace. */}}
{{- define "berth.clusterName" -}}
{{- printf "%s-%s" .Release.Namespace (include "berth.name" .) -}}
{{- end }}

{{- define "berth.selector" -}}
app.kubernetes.io/name: berth
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "berth.collectorSelector" -}}
app.kubernetes.io/name: berth-collector
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "berth.commonLabels" -}}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- end }}

{{- define "berth.labels" -}}
{{ include "berth.selector" . }}
{{ include "berth.commonLabels" . }}
{{- end }}

{{- define "berth.collectorLabels" -}}
{{ include "berth.collectorSelector" . }}
{{ include "berth.commonLabels" . }}
{{- end }}

{{- define "berth.image" -}}
{{- printf "%s:%s" .Values.image.repository (.Values.image.tag | default .Chart.AppVersion) -}}
{{- end }}

{{- define "berth.claim" -}}
{{- .Values.volumes.existingClaim | default (printf "%s-volumes" (include "berth.name" .)) -}}
{{- end }}

{{- define "berth.hosts" -}}
{{- list .Values.domain (printf "*.%s" .Values.domain) | toJson -}}
{{- end }}

{{/* Berth itself speaks TLS, and no controller before it. */}}
{{- define "berth.hasTls" -}}
{{- if and (eq .Values.exposure "loadBalancer") (eq .Values.publicScheme "https") -}}true{{- end -}}
{{- end }}

{{- define "berth.fromSecret" -}}
- name: {{ .name }}
  valueFrom:
    secretKeyRef: { name: {{ .secret }}, key: {{ .key }} }
{{- end }}

{{/* The database and the objects, of servers and collectors. */}}
{{- define "berth.storage" -}}
{{- include "berth.fromSecret" (dict "name" "BERTH_DATABASE_URL" "secret" .Values.database.existingSecret "key" "url") }}
{{- with .Values.logDatabase.existingSecret }}
{{ include "berth.fromSecret" (dict "name" "BERTH_LOG_DATABASE_URL" "secret" . "key" "url") }}
{{- end }}
{{- if .Values.volumes.enabled }}
- { name: BERTH_SHARED_FOLDER, value: /shared }
{{- else }}
- { name: BERTH_S3_BUCKET, value: {{ .Values.s3.bucket | quote }} }
{{- end }}
{{- if .Values.s3.bucket }}
- { name: BERTH_S3_LOG_BUCKET, value: {{ .Values.s3.logBucket | default .Values.s3.bucket | quote }} }
- { name: BERTH_S3_REGION, value: {{ .Values.s3.region | quote }} }
{{- with .Values.s3.endpoint }}
- { name: BERTH_S3_ENDPOINT, value: {{ . | quote }} }
{{- end }}
{{- with .Values.s3.existingSecret }}
{{ include "berth.fromSecret" (dict "name" "BERTH_S3_ACCESS_KEY_ID" "secret" . "key" "access-key-id") }}
{{ include "berth.fromSecret" (dict "name" "BERTH_S3_SECRET_ACCESS_KEY" "secret" . "key" "secret-access-key") }}
{{- end }}
{{- end }}
{{- end }}

{{/* The rules of permissions.json for a role. Its field `where` that RBAC can't express is enforced by admission-policy.yaml. */}}
{{- define "berth.rules" -}}
{{- range .root.Files.Get "permissions.json" | fromJsonArray }}
{{- if and (eq .role $.role) (has .where $.places) (or (ne .needs "volumes") $.root.Values.volumes.enabled) }}
- apiGroups: [{{ .apiGroup | quote }}]
  resources: {{ .resources | toJson }}
  verbs: {{ .verbs | toJson }}
{{- end }}
{{- end }}
{{- end }}
