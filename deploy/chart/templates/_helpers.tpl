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

{{/* Helm reads large numbers as fractions: 1000680000 would be 1.00068e+09. */}}
{{- define "lifeboat.podSecurityContext" -}}
runAsNonRoot: true
{{- with (.Values.podSecurityContext).runAsUser }}
runAsUser: {{ int64 . }}
{{- end }}
{{- with (.Values.podSecurityContext).runAsGroup }}
runAsGroup: {{ int64 . }}
{{- end }}
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

{{/* Values that fit their schema, and not one another. The ports are those of Kubernetes itself on a node. */}}
{{- define "lifeboat.portsCheck" -}}
{{- $webhook := int .Values.webhookPort -}}
{{- $metrics := int .Values.metricsPort -}}
{{- if eq $webhook $metrics -}}
{{- fail (printf "webhookPort and metricsPort are both %d: they must differ" $webhook) -}}
{{- end -}}
{{- if .Values.hostNetwork -}}
{{- range $name, $port := dict "webhookPort" $webhook "metricsPort" $metrics -}}
{{- if has $port (list 2379 2380 6443 10248 10249 10250 10255 10256 10257 10258 10259) -}}
{{- fail (printf "hostNetwork is true and %s is %d, which Kubernetes itself uses on nodes, as 10250 is that of the kubelet; choose another" $name $port) -}}
{{- end -}}
{{- end -}}
{{- end -}}
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
