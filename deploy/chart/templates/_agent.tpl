{{/* In brackets throughout: `helm upgrade --reuse-values` from a chart that did not know a value finds none. */}}
{{- define "lifeboat.hasAgent" -}}
{{- if or (.Values.agent).staticPods (.Values.agent).shutdown -}}
true
{{- end -}}
{{- end }}

{{/* Those of the pods of the node agent. */}}
{{- define "lifeboat.agentSelector" -}}
app.kubernetes.io/name: lifeboat
app.kubernetes.io/component: agent
{{- end }}

{{/* Only shutdowns take the programs of systemd that the agent's own image has. */}}
{{- define "lifeboat.agentImage" -}}
{{- $image := (.Values.agent).image | default dict -}}
{{- $repository := $image.repository | default (printf "%s-agent" .Values.image.repository) -}}
{{- if not (.Values.agent).shutdown -}}
{{ include "lifeboat.image" . }}
{{- else if $image.digest -}}
{{ $repository }}@{{ $image.digest }}
{{- else -}}
{{ $repository }}:{{ $image.tag | default .Values.image.tag | default .Chart.AppVersion }}
{{- end -}}
{{- end }}

{{- define "lifeboat.agentPullPolicy" -}}
{{- $image := (.Values.agent).image | default dict -}}
{{- if (.Values.agent).shutdown -}}
{{ $image.pullPolicy | default .Values.image.pullPolicy }}
{{- else -}}
{{ .Values.image.pullPolicy }}
{{- end -}}
{{- end }}

{{/* What is on the node is root's. */}}
{{- define "lifeboat.agentSecurityContext" -}}
runAsUser: 0
runAsGroup: 0
runAsNonRoot: false
{{ include "lifeboat.containerSecurityContext" . }}
seccompProfile:
  type: RuntimeDefault
{{- end }}

{{- define "lifeboat.systemBusEnvironment" -}}
- name: DBUS_SYSTEM_BUS_ADDRESS
  value: unix:path=/run/dbus/system_bus_socket
{{- end }}

{{- define "lifeboat.systemBusMount" -}}
- name: system-bus
  mountPath: /run/dbus
  readOnly: true
{{- end }}

{{/* What the controller has to know of shutdowns. Helm reads large numbers as fractions: 2000000000 would be 2e+09. */}}
{{- define "lifeboat.shutdownFlags" -}}
{{- $flags := list -}}
{{- if (.Values.agent).completeAfterReboot -}}
{{- $flags = append $flags "--complete-after-reboot" -}}
{{- end -}}
{{- with (.Values.agent).shutdownPodPriorities -}}
{{- $priorities := list -}}
{{- range . -}}
{{- $priorities = append $priorities (int64 . | toString) -}}
{{- end -}}
{{- $flags = append $flags (printf "--shutdown-pod-priorities=%s" (join "," $priorities)) -}}
{{- end -}}
{{- with $flags -}}
{{- toYaml . -}}
{{- end -}}
{{- end }}

{{/* Values that fit their schema, and not one another. */}}
{{- define "lifeboat.agentCheck" -}}
{{- if (.Values.agent).shutdown -}}
{{- range $gate := list "EvacuationAPI" "DeclarativeNodeMaintenance" -}}
{{- if not (get $.Values.featureGates $gate) -}}
{{- fail (printf "agent.shutdown is true and featureGates.%s is false: nothing would drain the node, and each shutdown would wait for the whole budget; set the gate to true, or agent.shutdown to false" $gate) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end }}
