/** Names of tools as public MCP servers have them, by what the tools do. */

export type ToolEffect = 'read' | 'write' | 'act' | 'destroy';

const names = (effect: ToolEffect, text: string) =>
  text
    .trim()
    .split(/\s+/)
    .map((name) => ({ name, effect }));

export const TOOL_NAMES: readonly { readonly name: string; readonly effect: ToolEffect }[] = [
  ...names(
    'read',
    `read_file read_text_file read_media_file read_multiple_files list_directory list_directory_with_sizes get_file_info search_files list_allowed_directories
    read_graph search_nodes
    get_file_contents list_commits get_commit list_branches list_issues get_issue search_issues search_code search_repositories search_users list_pull_requests get_pull_request get_pull_request_files get_pull_request_status get_pull_request_comments get_pull_request_reviews list_releases get_latest_release list_tags get_tag list_workflow_runs get_workflow_run get_job_logs list_workflow_jobs search_pull_requests get_me list_notifications get_code_scanning_alert list_discussions
    get_merge_request list_merge_requests get_merge_request_diffs list_pipelines get_project
    slack_list_channels slack_get_channel_history slack_get_thread_replies slack_get_users slack_get_user_profile conversations_history channels_list
    list_schemas list_objects get_object_details explain_query list_tables describe_table list_extensions list_migrations get_logs get_advisors
    list_customers list_products list_invoices list_payment_intents retrieve_balance list_disputes search_stripe_documentation get_payment
    API-retrieve-a-page API-retrieve-a-block API-get-block-children API-retrieve-a-comment API-get-users notion-search notion-fetch
    list_projects get_issue_details find_organizations search_events search_runs list_posts get_post get_deploy_status get_release find_releases
    brave_web_search get_current_time convert_time fetch web_search_exa
    gdrive_search search_messages get_email list_labels get_thread list_calendars list_events get_event find_free_time
    pods_list_in_namespace pods_log list_containers get_container_logs list_images kubectl_get kubectl_describe
    browser_snapshot browser_console_messages browser_network_requests puppeteer_screenshot
    getJiraIssue searchJiraIssuesUsingJql getConfluencePage getVisibleJiraProjects searchConfluenceUsingCql
    count_documents collection_indexes db_stats get_hybrid_search_results
    get_library_docs resolve-library-id get_figma_data get_screenshot get_code
    query list_resources check_status preview_changes verify_signature compare_commits listUsers readFile searchnotes getfile
    find_duplicate atlas-list-clusters collection-schema`,
  ),
  ...names(
    'write',
    `write_file edit_file create_directory move_file
    create_entities create_relations add_observations
    git_add git_create_branch git_checkout git_init
    update_page create_note append_to_note rename_file set_config insert_row write_query create_table append_insight
    reprioritize_sub_issue atlas-load-sample-dataset
    update_memory save_memory patch_note createNote updateDocument addTag copy_file import_data
    notiz_erstellen datei_schreiben crear_nota escribir_archivo creer_note ajouter_ligne creare_nota scrivere_file`,
  ),
  ...names(
    'act',
    `git_commit git_push create_or_update_file_and_push push_files merge_pull_request submit_pending_pull_request_review run_workflow rerun_failed_jobs
    slack_post_message slack_reply_to_thread conversations_add_message_and_notify send_email send_message draft_and_send
    create_payment_and_charge pay_invoice transfer_funds transferFunds transferfunds send_money refund_payment publish_post post_tweet tweet deploy_edge_function deploy_to_vercel deploy_project
    dismiss_notification manage_notification_subscription request_copilot_review request_pull_request_reviewers unresolve_review_thread atlas-pause-resume-cluster atlas-upgrade-cluster
    browser_click puppeteer_click puppeteer_fill browser_press_key restart_service scale_deployment execute_sql execute_query run_query run_tests invoke_function trigger_build
    nachricht_senden geld_ueberweisen geld_überweisen rechnung_bezahlen enviar_correo pagar_factura transferir_fondos envoyer_message payer_facture virer_fonds inviare_email pagare_fattura trasferire_fondi`,
  ),
  ...names(
    'destroy',
    `delete_entities delete_observations delete_relations delete_file delete_branch delete_repository remove_issue_label API-delete-a-block delete_page
    wipe_disk wipeDisk wipe-disk wipedisk WipeDisk truncate_table truncateTable truncatetable drop_collection drop_database dropTable purge_cache purge_queue erase_all eraseall destroy_instance kill_process kill_session terminate_instance revoke_token cancel_subscription
    exec_cmd execcmd execCmd exec run_command runCommand execute_command execute_script shell_exec run_shell eval evaluate_script_and_eval spawn_process bash pods_exec pods_delete kubectl_delete remove_container prune_images
    atlas-streams-teardown
    git_reset reset_branch close_issue archive_channel rollback_migration format_disk flush_db clear_history force_terminate uninstall_package unlink_file rm deletefile removeallfiles
    datei_löschen datei_loeschen dateien_entfernen daten_vernichten tabelle_leeren borrar_archivo eliminar_usuario vaciar_tabla destruir_datos supprimer_fichier effacer_disque vider_table detruire_donnees détruire_données cancellare_file eliminare_utente svuotare_tabella rimuovere_account befehl_ausfuehren ejecutar_comando`,
  ),
];
