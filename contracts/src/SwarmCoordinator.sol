// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {Initializable} from "@openzeppelin/contracts/proxy/utils/Initializable.sol";
import {UUPSUpgradeable} from "@openzeppelin/contracts/proxy/utils/UUPSUpgradeable.sol";
import {SwarmClaims} from "./SwarmClaims.sol";
import {IPeerRegistry} from "./interfaces/IPeerRegistry.sol";
import {IRounds} from "./interfaces/IRounds.sol";
import {ISwarmCoordinator} from "./interfaces/ISwarmCoordinator.sol";
import {Claims} from "./libraries/Claims.sol";
import {FINALITY_ROUNDS} from "./libraries/Ring.sol";

/// @title SwarmCoordinator
contract SwarmCoordinator is SwarmClaims, Initializable, UUPSUpgradeable {
    /// @inheritdoc ISwarmCoordinator
    bytes32 public constant OWNER_ROLE = keccak256("OWNER_ROLE");

    /// @inheritdoc ISwarmCoordinator
    bytes32 public constant BOOTNODE_MANAGER_ROLE = keccak256("BOOTNODE_MANAGER_ROLE");

    /// @inheritdoc ISwarmCoordinator
    bytes32 public constant STAGE_MANAGER_ROLE = keccak256("STAGE_MANAGER_ROLE");

    /// @inheritdoc ISwarmCoordinator
    uint256 public constant MAX_IMPORTED = 10_000;

    uint256 internal constant STAGES = 1;
    uint256 internal constant STAGE = 0;

    bool internal immutable _manual;

    modifier onlyOwner() {
        if (!hasRole(OWNER_ROLE, msg.sender)) revert OnlyOwner();
        _;
    }

    modifier onlyStageManager() {
        if (!hasRole(STAGE_MANAGER_ROLE, msg.sender)) revert OnlyStageManager();
        _;
    }

    modifier onlyBootnodeManager() {
        if (!hasRole(BOOTNODE_MANAGER_ROLE, msg.sender)) revert OnlyBootnodeManager();
        _;
    }

    /// @param registry Its proofs go before claims.
    /// @param clock The clock. Under a manual schedule this contract's proxy holds `ROUND_MANAGER_ROLE` there.
    constructor(IPeerRegistry registry, IRounds clock) SwarmClaims(registry, clock) {
        _manual = clock.isManual();
        _disableInitializers();
    }

    /// @inheritdoc ISwarmCoordinator
    function initialize(address owner_) external initializer {
        _grantRole(OWNER_ROLE, owner_);
        _grantRole(STAGE_MANAGER_ROLE, owner_);
        _grantRole(BOOTNODE_MANAGER_ROLE, owner_);
    }

    /// @inheritdoc ISwarmCoordinator
    function grantRole(bytes32 role, address account) external onlyOwner {
        _grantRole(role, account);
    }

    /// @inheritdoc ISwarmCoordinator
    function revokeRole(bytes32 role, address account) external onlyOwner {
        Claims.layout().roles[role][account] = false;
        emit RoleRevoked(role, account, msg.sender);
    }

    /// @inheritdoc ISwarmCoordinator
    function updateStageAndRound() external onlyStageManager returns (uint256 round, uint256 stage) {
        if (_manual) {
            round = _rounds.advanceRound();
        } else {
            round = currentRound();
            if (Claims.layout().announcedRounds == round + 1) return (round, STAGE);
            Claims.layout().announcedRounds = round + 1;
        }
        emit RoundAdvanced(round);
        emit StageAdvanced(round, STAGE);
        return (round, STAGE);
    }

    /// @inheritdoc ISwarmCoordinator
    function registerPeer(string calldata peerId) external {
        bytes32 peerKey = keccak256(bytes(peerId));
        if (_accountOf(peerKey) != address(0)) revert PeerIdAlreadyRegistered();
        Claims.layout().peerIds[msg.sender].push(peerId);
        Claims.layout().accounts[peerKey] = msg.sender;
        emit PeerRegistered(msg.sender, peerId);
    }

    /// @inheritdoc ISwarmCoordinator
    function addBootnodes(string[] calldata newBootnodes) external onlyBootnodeManager {
        string[] storage bootnodes = Claims.layout().bootnodes;
        for (uint256 i = 0; i < newBootnodes.length; ++i) bootnodes.push(newBootnodes[i]);
        emit BootnodesAdded(msg.sender, newBootnodes.length);
    }

    /// @inheritdoc ISwarmCoordinator
    function removeBootnode(uint256 index) external onlyBootnodeManager {
        string[] storage bootnodes = Claims.layout().bootnodes;
        if (index >= bootnodes.length) revert InvalidBootnodeIndex();
        if (index != bootnodes.length - 1) bootnodes[index] = bootnodes[bootnodes.length - 1];
        bootnodes.pop();
        emit BootnodeRemoved(msg.sender, index);
    }

    /// @inheritdoc ISwarmCoordinator
    function clearBootnodes() external onlyBootnodeManager {
        delete Claims.layout().bootnodes;
        emit AllBootnodesCleared(msg.sender);
    }

    /// @inheritdoc ISwarmCoordinator
    function submitWinners(uint256 roundNumber, string[] calldata winners, string calldata peerId) external {
        Claims.Layout storage claims = Claims.layout();
        bytes32 peerKey = keccak256(bytes(peerId));
        if (roundNumber > currentRound()) revert InvalidRoundNumber();
        if (claims.votes[roundNumber][peerKey].length != 0) revert WinnerAlreadyVoted();
        if (_accountOf(peerKey) != msg.sender) revert InvalidVoterPeerId();

        bytes32[] memory winnerKeys = new bytes32[](winners.length);
        for (uint256 i = 0; i < winners.length; ++i) {
            winnerKeys[i] = keccak256(bytes(winners[i]));
            for (uint256 j = 0; j < i; ++j) if (winnerKeys[j] == winnerKeys[i]) revert InvalidVote();
        }

        for (uint256 i = 0; i < winners.length; ++i) {
            claims.votes[roundNumber][peerKey].push(winners[i]);
            ++claims.wins[winnerKeys[i]];
        }
        if (claims.voteCounts[peerKey]++ == 0) ++claims.uniqueVoters;
        emit WinnerSubmitted(msg.sender, peerId, roundNumber, winners);
    }

    /// @inheritdoc ISwarmCoordinator
    function submitReward(uint256 roundNumber, uint256 stageNumber, int256 reward, string calldata peerId) external {
        _submitReward(roundNumber, stageNumber, reward, peerId);
    }

    /// @inheritdoc ISwarmCoordinator
    function submitReward(uint256 roundNumber, uint256 stageNumber, uint256 reward, string calldata peerId) external {
        _submitReward(roundNumber, stageNumber, int256(reward), peerId);
    }

    /// @inheritdoc ISwarmCoordinator
    function importLeaderboard(LeaderboardRow[] calldata rows) external onlyOwner {
        Claims.Layout storage claims = Claims.layout();
        // Settlement of round 0 begins in that round.
        uint256 round = currentRound();
        if (round >= FINALITY_ROUNDS) revert SwarmCoordinator_ImportClosed(round, FINALITY_ROUNDS);
        uint256 count = claims.importedCount + rows.length;
        if (count > MAX_IMPORTED) revert SwarmCoordinator_TooManyImported(count, MAX_IMPORTED);
        claims.importedCount = count;
        for (uint256 i = 0; i < rows.length; ++i) {
            LeaderboardRow calldata row = rows[i];
            Claims.Imported storage kept = claims.imported[keccak256(bytes(row.peerId))];
            if (kept.isImported) revert SwarmCoordinator_AlreadyImported(row.peerId);
            (kept.isImported, kept.wins, kept.rewards) = (true, row.wins, row.rewards);
            emit LeaderboardRowImported(row.peerId, row.rewards, row.wins);
        }
    }

    /// @inheritdoc ISwarmCoordinator
    function currentStage() external pure returns (uint256 stage) {
        return STAGE;
    }

    /// @inheritdoc ISwarmCoordinator
    function stageCount() external pure returns (uint256 count) {
        return STAGES;
    }

    /// @inheritdoc ISwarmCoordinator
    function getBootnodes() external view returns (string[] memory bootnodes) {
        return Claims.layout().bootnodes;
    }

    /// @inheritdoc ISwarmCoordinator
    function getBootnodesCount() external view returns (uint256 count) {
        return Claims.layout().bootnodes.length;
    }

    /// @inheritdoc ISwarmCoordinator
    function hasRole(bytes32 role, address account) public view returns (bool has) {
        return Claims.layout().roles[role][account];
    }

    function _grantRole(bytes32 role, address account) internal {
        Claims.layout().roles[role][account] = true;
        emit RoleGranted(role, account, msg.sender);
    }

    function _submitReward(uint256 roundNumber, uint256 stageNumber, int256 reward, string calldata peerId) internal {
        Claims.Layout storage claims = Claims.layout();
        bytes32 peerKey = keccak256(bytes(peerId));
        uint256 round = currentRound();
        if (roundNumber > round) revert InvalidRoundNumber();
        if (stageNumber > (roundNumber == round ? STAGE : STAGES)) revert InvalidStageNumber();
        if (claims.rewarded[roundNumber][stageNumber][peerKey]) revert RewardAlreadySubmitted();
        if (_accountOf(peerKey) != msg.sender) revert InvalidVoterPeerId();

        claims.rewarded[roundNumber][stageNumber][peerKey] = true;
        claims.roundRewards[roundNumber][stageNumber][msg.sender] += reward;
        claims.totalRewards[peerKey] += reward;
        emit RewardSubmitted(msg.sender, roundNumber, stageNumber, reward, peerId);
        emit CumulativeRewardsUpdated(msg.sender, peerId, claims.totalRewards[peerKey]);
    }

    /// @dev Only the owner upgrades, and the owner is a timelock.
    // solhint-disable-next-line no-empty-blocks
    function _authorizeUpgrade(address) internal override onlyOwner {}
}
