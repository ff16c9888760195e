"""What queries, labels, thoughts, refusals and prose look like in a model's reply."""

import re

NAME = r"(?:\w+|\"[^\"]+\"|`[^`]+`)"
QUERY = re.compile(
    r"(?:\(\s*)*(?:"
    rf"WITH\s+(?:RECURSIVE\s+)?{NAME}\s*(?:\([^()]*\)\s*)?(?:AS\b|\Z)"
    r"|SELECT\b|VALUES\s*\(|INSERT\s+(?:INTO|OVERWRITE|OR)\b|DELETE\s+FROM\b"
    rf"|FROM\s+{NAME}|UPDATE\s+[\w.\"`]+\s+SET\b|MERGE\s+INTO\b|TRUNCATE\s"
    r"|(?:DROP|CREATE|ALTER)\s+(?:OR\s+REPLACE\s+|TEMP\w*\s+|EXTERNAL\s+)*"
    r"(?:TABLE|VIEW|SCHEMA|DATABASE|INDEX|MACRO|FUNCTION|SECRET|USER|ROLE)\b"
    r"|(?:SHOW|DESCRIBE|EXPLAIN|PRAGMA|COPY|ATTACH|INSTALL|LOAD|CALL|SET|USE|GRANT|UNLOAD"
    r"|PIVOT|SUMMARIZE|EXECUTE|PREPARE|VACUUM|TABLE|EXPORT|IMPORT)\s+\S)",
    re.IGNORECASE,
)
COMMENTS = re.compile(r"(?:\s|--[^\n]*(?:\n|\Z)|/\*.*?\*/)*", re.DOTALL)
LABEL = re.compile(
    r"\s*[*_#>\s]*(?:(?:final|corrected|fixed|mended|new|the)\s+)?"
    r"(?:sql\s*query|sql|query|answer|output|result|duckdb|athena)\s*[*_]*\s*"
    r"(?::\s*[*_]*|\n)\s*",
    re.IGNORECASE,
)
ANYWHERE = re.compile(
    rf"(?:^|[:`]|\b(?:is|be|use|try)\b)[ \t*_]*(?P<query>{QUERY.pattern})", re.I | re.M
)
PROSE_VERB = re.compile(
    r"select\s+(?:the|all\s+the|which|only|an?(?!\s+from\b)|this|these|those|your|any|between)\s"
    r"|from\s+(?:the|this|your|what|here|our|there)\b"
    r"|(?:show|set|use|load|call|copy|explain|table|describe|import|export|execute|prepare|grant"
    r"|install|attach|pivot)\s+"
    r"(?![^\n]*;)(?:\w+\s+){2,}",
    re.IGNORECASE,
)
AFTER = re.compile(
    r"^[ \t]*[*_#]*(?:SQLResult|Answer|Explanation|Note|Question|Result|Output|Here|This|The query"
    r"|It|These|In this)\b[*_]*(?:\s*:|\s+[a-z])",
    re.MULTILINE,
)
THOUGHT = re.compile(r"<(think(?:ing)?|reasoning|thought)>.*?</\1>", re.DOTALL | re.IGNORECASE)
THOUGHT_END = re.compile(r".*</(?:think(?:ing)?|reasoning|thought)>", re.DOTALL | re.IGNORECASE)
THOUGHT_OPEN = re.compile(r"\A\s*<(?:think(?:ing)?|reasoning|thought)>", re.IGNORECASE)
DECLINED = re.compile(
    r"^[ \t>*]*(?:(?:--|#|/\*)[ \t]*|SELECT\s+'(?:--\s*)?)?[*_]*CANNOT[ _]ANSWER[*_]*[ \t]*"
    r"(?:[:.\u2013-][*_]*[ \t]*|$|(?='))(?P<why>[^\n]*)",
    re.IGNORECASE | re.MULTILINE,
)
REFUSAL = re.compile(
    r"\b(?:sorry|apologi[sz]e|as an ai|unable to|not able to|can(?:no|')t (?:be )?(?:help|answer"
    r"|assist|provide|generate|write|create|determine|fulfil)\w*|can\u2019t|cannot|not possible"
    r"|no (?:such )?(?:table|column|information|data))\b",
    re.IGNORECASE,
)
INTERMEDIATE = re.compile(r"--\s*intermediate|/\*\s*intermediate", re.IGNORECASE)
ENTITY = re.compile(r"&(?:lt|gt|amp|quot|apos|nbsp|#\d+|#x[0-9a-f]+);", re.IGNORECASE)
JSON_SQL = re.compile(
    r"\"(?:sql|query|sql_query|sqlquery)\"\s*:\s*\"(?P<sql>(?:[^\"\\]|\\.)*)(?P<end>\"?)",
    re.IGNORECASE,
)
DANGLING = re.compile(
    r"(?:[,(=<>+*/|.-]|\b(?:SELECT|DISTINCT|FROM|WHERE|AND|OR|NOT|ON|JOIN|LEFT|INNER|BY|GROUP"
    r"|ORDER|HAVING|AS|IN|LIKE|BETWEEN|WITH|UNION|WHEN|THEN|ELSE|CASE|LIMIT|SET|INTO))\s*\Z",
    re.IGNORECASE,
)
