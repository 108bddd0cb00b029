{{/* Those of the pods of the descheduler, by which its Service and others find them. */}}
{{- define "lifeboat.deschedulerSelector" -}}
app.kubernetes.io/name: lifeboat
app.kubernetes.io/component: descheduler
{{- end }}

{{/* Not empty if the descheduler is on, and a part of the controller. */}}
{{- define "lifeboat.deschedulerInController" -}}
{{- if and (.Values.descheduler).enabled (eq .Values.descheduler.kind "Controller") -}}
true
{{- end -}}
{{- end }}

{{/* Not empty if the descheduler is on, and has pods of its own. */}}
{{- define "lifeboat.deschedulerHasPods" -}}
{{- if and (.Values.descheduler).enabled (ne .Values.descheduler.kind "Controller") -}}
true
{{- end -}}
{{- end }}

{{/* Not empty if the policy asks metrics.k8s.io what nodes and pods use. */}}
{{- define "lifeboat.deschedulerMeasures" -}}
{{- $policy := .Values.descheduler.policy -}}
{{- $asks := dig "metricsCollector" "enabled" false $policy -}}
{{- range $policy.metricsProviders -}}
{{- if eq .source "KubernetesMetrics" -}}
{{- $asks = true -}}
{{- end -}}
{{- end -}}
{{- if $asks -}}
true
{{- end -}}
{{- end }}

{{/* What the policy says of Prometheus, as JSON; empty if it says nothing. */}}
{{- define "lifeboat.deschedulerPrometheus" -}}
{{- range .Values.descheduler.policy.metricsProviders -}}
{{- if eq .source "Prometheus" -}}
{{- .prometheus | default dict | toJson -}}
{{- end -}}
{{- end -}}
{{- end }}

{{/* Values that fit their schema, and not one another. */}}
{{- define "lifeboat.deschedulerCheck" -}}
{{- with .Values.descheduler -}}
{{- if and (eq .kind "CronJob") (dig "lifeboat" "window" "" .policy) -}}
{{- fail "descheduler.policy.lifeboat.window is set and descheduler.kind is CronJob: leave it out, its schedule says when a CronJob starts" -}}
{{- end -}}
{{- if eq .kind "Controller" -}}
{{- if ne .mode "evacuate" -}}
{{- fail "descheduler.kind is Controller and descheduler.mode is evict: the controller only asks for Evacuations; use kind Deployment or CronJob" -}}
{{- end -}}
{{- if .dryRun -}}
{{- fail "descheduler.kind is Controller and descheduler.dryRun is true: the controller has no dry run; use kind CronJob, which prints its reports" -}}
{{- end -}}
{{- end -}}
{{- if eq .mode "evacuate" -}}
{{- if not $.Values.featureGates.EvacuationAPI -}}
{{- fail "descheduler.mode is evacuate and featureGates.EvacuationAPI is false: no evacuation would go on; use mode evict" -}}
{{- end -}}
{{- if hasKey .policy "gracePeriodSeconds" -}}
{{- fail "descheduler.policy.gracePeriodSeconds is set: an Evacuation cannot carry it; leave it out, or use mode evict" -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end }}

{{/* The pod, without what says when it starts again. */}}
{{- define "lifeboat.deschedulerPod" -}}
{{- $runsAllTheTime := eq .Values.descheduler.kind "Deployment" -}}
serviceAccountName: lifeboat-descheduler
{{- include "lifeboat.placement" . | trim | nindent 0 }}
securityContext:
  {{- include "lifeboat.podSecurityContext" . | nindent 2 }}
terminationGracePeriodSeconds: 30
containers:
  - name: descheduler
    image: {{ include "lifeboat.image" . }}
    imagePullPolicy: {{ .Values.image.pullPolicy }}
    args:
      - descheduler
      - --policy-config-file=/etc/lifeboat/policy.yaml
      - --mode={{ .Values.descheduler.mode }}
      - --max-evacuation-request-ttl={{ .Values.descheduler.maxEvacuationRequestTtl }}
      {{- if .Values.descheduler.dryRun }}
      - --dry-run
      {{- end }}
      - --namespace={{ .Release.Namespace }}
      - --log-level={{ .Values.logLevel }}
      {{- if $runsAllTheTime }}
      - --descheduling-interval={{ .Values.descheduler.interval }}
      - --leader-elect
      - --listen=[::]:{{ .Values.metricsPort }}
    ports:
      - name: metrics
        containerPort: {{ .Values.metricsPort }}
    startupProbe:
      httpGet:
        path: /healthz
        port: metrics
      periodSeconds: 1
      failureThreshold: 60
    livenessProbe:
      httpGet:
        path: /healthz
        port: metrics
      periodSeconds: 10
      timeoutSeconds: 5
    readinessProbe:
      httpGet:
        path: /readyz
        port: metrics
      periodSeconds: 5
      timeoutSeconds: 5
      {{- end }}
    # Enough for 500,000 pods. By itself Node takes more before it clears away, or has less for what is short-lived and
    # stops for longer. `make bench-descheduler` measures with the same.
    env:
      - name: NODE_OPTIONS
        value: --max-old-space-size=768 --max-semi-space-size=32
    {{- with .Values.descheduler.resources }}
    resources:
      {{- toYaml . | nindent 6 }}
    {{- end }}
    securityContext:
      {{- include "lifeboat.containerSecurityContext" . | nindent 6 }}
    # The whole folder and no subPath: only so a change of the ConfigMap reaches the file, which is read for each cycle.
    volumeMounts:
      {{- include "lifeboat.deschedulerPolicyMount" . | nindent 6 }}
volumes:
  {{- include "lifeboat.deschedulerPolicyVolume" . | nindent 2 }}
{{- end }}

{{- define "lifeboat.deschedulerPolicyMount" -}}
- name: policy
  mountPath: /etc/lifeboat
  readOnly: true
{{- end }}

{{- define "lifeboat.deschedulerPolicyVolume" -}}
- name: policy
  configMap:
    name: lifeboat-descheduler-policy
{{- end }}
