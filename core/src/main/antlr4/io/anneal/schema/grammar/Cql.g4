/*
 * The statements of CQL that describe a schema, as Cassandra 5.0 writes them into a snapshot's schema.cql and cqlsh
 * prints them. Tables and user-defined types are read whole; of views base, key and options; what says nothing about stored
 * rows (indexes, functions, triggers, roles) is passed over to its semicolon.
 */
grammar Cql;

options {
    caseInsensitive = true;
}

file
    : SEMICOLON* (statement (SEMICOLON+ statement)* SEMICOLON*)? EOF
    ;

statement
    : createTable
    | alterTable
    | createType
    | createView
    | createKeyspace
    | use
    | alterType
    | passedOver
    ;

createTable
    : CREATE (TABLE | COLUMNFAMILY) ifNotExists? tableName '(' definition (',' definition)* ','? ')' options_?
    ;

definition
    : column (PRIMARY KEY)?                                 # columnDefinition
    | PRIMARY KEY '(' partitionKey (',' identifier)* ')'    # primaryKey
    ;

column
    : identifier type STATIC? mask?
    ;

mask
    : MASKED WITH identifier ('.' identifier)? ('(' ~(')' | UNCLOSED_COMMENT)* ')')?
    ;

partitionKey
    : identifier
    | '(' identifier (',' identifier)* ')'
    ;

options_
    : WITH option (AND option)*
    ;

option
    : COMPACT STORAGE                                                   # compactStorage
    | CLUSTERING ORDER BY '(' clusteringOrder (',' clusteringOrder)* ')' # clusteringOrders
    | identifier '=' (literal | map)                                    # valueOption
    ;

clusteringOrder
    : identifier (ASC | DESC)?
    ;

map
    : '{' (literal ':' literal (',' literal ':' literal)*)? '}'
    ;

literal
    : STRING
    | NUMBER
    | UUID
    | BLOB
    | identifier
    ;

type
    : typeName ('<' typeArgument (',' typeArgument)* '>')?  # namedType
    | STRING                                                # classType
    ;

typeArgument
    : type
    | NUMBER
    ;

typeName
    : identifier ('.' identifier)?
    ;

tableName
    : identifier ('.' identifier)?
    ;

alterTable
    : ALTER (TABLE | COLUMNFAMILY) (IF EXISTS)? tableName alteration
    ;

alteration
    : ADD ifNotExists? (column (',' column)* | '(' column (',' column)* ')')            # addColumns
    | DROP COMPACT STORAGE                                                              # dropCompactStorage
    | DROP (IF EXISTS)? (identifier | '(' identifier (',' identifier)* ')')
      (USING TIMESTAMP NUMBER)?                                                         # dropColumns
    | options_                                                                          # alterOptions
    | RENAME (IF EXISTS)? rename (AND rename)*                                          # renameColumns
    | ALTER (IF EXISTS)? identifier TYPE type                                           # changeColumnType
    | ALTER (IF EXISTS)? identifier (mask | DROP MASKED)                                # changeMask
    ;

rename
    : before=identifier TO after=identifier
    ;

createType
    : CREATE TYPE ifNotExists? typeName '(' field (',' field)* ','? ')'
    ;

field
    : identifier type
    ;

createView
    : CREATE MATERIALIZED VIEW ifNotExists? tableName AS SELECT ~(FROM | SEMICOLON | UNCLOSED_COMMENT)* FROM base=tableName
      // No dot, or for each name of a table the parser would look to the statement's end for one.
      (IDENTIFIER ~(PRIMARY | SEMICOLON | UNCLOSED_COMMENT)* viewKey?)?
    ;

viewKey
    : PRIMARY KEY '(' partitionKey (',' identifier)* ')' options_?
    ;

createKeyspace
    : CREATE (KEYSPACE | SCHEMA) ifNotExists? identifier ~(SEMICOLON | UNCLOSED_COMMENT)*
    ;

use
    : USE identifier
    ;

alterType
    : ALTER TYPE (IF EXISTS)? typeName typeAlteration
    ;

typeAlteration
    : ADD ifNotExists? field (',' field)*               # addFields
    | RENAME (IF EXISTS)? rename (AND rename)*          # renameFields
    | ALTER identifier TYPE type                        # changeFieldType
    ;

passedOver
    : CREATE (INDEX | CUSTOM | word=IDENTIFIER) ~(SEMICOLON | UNCLOSED_COMMENT)*
    | ALTER (KEYSPACE | SCHEMA | MATERIALIZED | word=IDENTIFIER) ~(SEMICOLON | UNCLOSED_COMMENT)*
    ;

ifNotExists
    : IF NOT EXISTS
    ;

identifier
    : IDENTIFIER
    | QUOTED_IDENTIFIER
    | unreserved
    ;

unreserved
    : AS | CLUSTERING | COMPACT | CUSTOM | EXISTS | FROZEN | KEY | MASKED | STATIC | STORAGE | TIMESTAMP | TYPE
    ;

ADD: 'ADD';
ALTER: 'ALTER';
AND: 'AND';
AS: 'AS';
ASC: 'ASC';
BY: 'BY';
CLUSTERING: 'CLUSTERING';
COLUMNFAMILY: 'COLUMNFAMILY';
COMPACT: 'COMPACT';
CREATE: 'CREATE';
CUSTOM: 'CUSTOM';
DESC: 'DESC';
DROP: 'DROP';
EXISTS: 'EXISTS';
FROM: 'FROM';
FROZEN: 'FROZEN';
IF: 'IF';
INDEX: 'INDEX';
KEY: 'KEY';
KEYSPACE: 'KEYSPACE';
MASKED: 'MASKED';
MATERIALIZED: 'MATERIALIZED';
NOT: 'NOT';
ORDER: 'ORDER';
PRIMARY: 'PRIMARY';
RENAME: 'RENAME';
SCHEMA: 'SCHEMA';
SELECT: 'SELECT';
STATIC: 'STATIC';
STORAGE: 'STORAGE';
TABLE: 'TABLE';
TIMESTAMP: 'TIMESTAMP';
TO: 'TO';
TYPE: 'TYPE';
USE: 'USE';
USING: 'USING';
VIEW: 'VIEW';
WITH: 'WITH';

UUID: HEX8 '-' HEX4 '-' HEX4 '-' HEX4 '-' HEX8 HEX4;
BLOB: '0X' HEX*;
NUMBER: '-'? [0-9]+ ('.' [0-9]*)? ('E' [+-]? [0-9]+)?;
IDENTIFIER: [A-Z] [A-Z0-9_]*;
QUOTED_IDENTIFIER: '"' (~'"' | '""')* '"';
STRING: '\'' (~'\'' | '\'\'')* '\'' | '$$' .*? '$$';
SEMICOLON: ';';

SPACE: [ \t\r\n\uFEFF]+ -> skip;
COMMENT: ('--' | '//') ~[\r\n]* -> skip;
// Kept aside, not skipped: Cassandra describes compact tables inside of comments.
BLOCK_COMMENT: '/*' .*? '*/' -> channel(HIDDEN);
// One token, or the lexer would look to the end of the text again for each that begins in it.
UNCLOSED_COMMENT: '/*' (~'*' | '*'+ ~[*/])* '*'* EOF;

// Whatever else there is must reach the parser, whose error says what was wanted there.
OTHER: .;

fragment HEX: [0-9A-F];
fragment HEX4: HEX HEX HEX HEX;
fragment HEX8: HEX4 HEX4;
