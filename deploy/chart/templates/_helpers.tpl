{{/* Every object has these. Helm puts its own name over managed-by; plain manifests keep ours. */}}
{{- define "lifeboat.labels" -}}
app.kubernetes.io/name: lifeboat
app.kubernetes.io/managed-by: lifeboat
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
{{- end }}

{{/* Those of the pods that run, by which Services and budgets find them. */}}
{{- define "lifeboat.selector" -}}
app.kubernetes.io/name: lifeboat
app.kubernetes.io/component: controller
{{- end }}

{{- define "lifeboat.image" -}}
{{- if .Values.image.digest -}}
{{ .Values.image.repository }}@{{ .Values.image.digest }}
{{- else -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end -}}
{{- end }}

{{- define "lifeboat.featureGates" -}}
{{- $gates := list -}}
{{- range $name, $on := .Values.featureGates -}}
{{- $gates = append $gates (printf "%s=%t" $name $on) -}}
{{- end -}}
{{- join "," $gates -}}
{{- end }}

{{- define "lifeboat.podSecurityContext" -}}
runAsNonRoot: true
runAsUser: 65532
runAsGroup: 65532
seccompProfile:
  type: RuntimeDefault
{{- end }}

{{- define "lifeboat.containerSecurityContext" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop:
    - ALL
{{- end }}

{{/* Where pods run, and by what image: the same for those that serve and for the one that leaves. */}}
{{- define "lifeboat.placement" -}}
{{- with .Values.imagePullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
priorityClassName: {{ .Values.priorityClass.name }}
{{- with .Values.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.affinity }}
affinity:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}
