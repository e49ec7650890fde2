# PowerShell completion for svc, for PowerShell 5.1 and newer: svc completion powershell
#
# svc __complete says what may follow. What PowerShell would read as more than a word is put into single quotes. Where nothing is
# offered, PowerShell offers files.

Register-ArgumentCompleter -Native -CommandName svc -ScriptBlock {
  param([string]$WordToComplete, $CommandAst, [int]$CursorPosition)

  $svc = Get-Command svc -CommandType Application, ExternalScript -ErrorAction SilentlyContinue | Select-Object -First 1
  if (-not $svc) { return }
  $typed = $WordToComplete.TrimStart([char[]]@("'", '"'))
  $words = @(
    foreach ($element in ($CommandAst.CommandElements | Select-Object -Skip 1)) {
      if ($element.Extent.EndOffset -ge $CursorPosition) { continue }
      if ($element -is [System.Management.Automation.Language.StringConstantExpressionAst]) { $element.Value }
      else { $element.Extent.Text }
    }
  )

  $asked = @('__complete', "matching=$typed") + $words
  $answer = @(& $svc @asked 2>$null)
  if ($answer.Count -eq 0) { return }
  $kind, $before = $answer[0] -split "`t", 2
  if ($kind -ceq 'command') { return }

  foreach ($line in ($answer | Select-Object -Skip 1)) {
    $value, $note = $line -split "`t", 2
    $text = "$before$value"
    $inserted = if ($text -cmatch '^[A-Za-z0-9_./:+=-]+$') { $text }
    else { "'" + [System.Management.Automation.Language.CodeGeneration]::EscapeSingleQuotedStringContent($text) + "'" }
    $tooltip = if ($note) { $note } else { $text }
    [System.Management.Automation.CompletionResult]::new($inserted, $text, 'ParameterValue', $tooltip)
  }
}
