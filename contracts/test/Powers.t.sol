// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {AccessControl} from "@openzeppelin/contracts/access/AccessControl.sol";
import {ERC1967Proxy} from "@openzeppelin/contracts/proxy/ERC1967/ERC1967Proxy.sol";
import {UUPSUpgradeable} from "@openzeppelin/contracts/proxy/utils/UUPSUpgradeable.sol";
import {PredictionMarket} from "../src/PredictionMarket.sol";
import {PrgMarket} from "../src/PrgMarket.sol";
import {SwarmCoordinator} from "../src/SwarmCoordinator.sol";
import {IBurnableToken} from "../src/interfaces/IBurnableToken.sol";
import {IPeerAccounts} from "../src/interfaces/IPeerAccounts.sol";
import {IMarketGames} from "../src/interfaces/IMarketGames.sol";
import {ISeats} from "../src/interfaces/ISeats.sol";
import {StakesFixture} from "./StakesFixture.sol";

/// @dev A coordinator that says that one account speaks for every peer.
contract GreedyCoordinator is UUPSUpgradeable {
    address internal immutable _account;

    constructor(address account) {
        _account = account;
    }

    function getEoa(string[] calldata peerIds) external view returns (address[] memory accounts) {
        accounts = new address[](peerIds.length);
        for (uint256 i = 0; i < peerIds.length; ++i) accounts[i] = _account;
    }

    function _authorizeUpgrade(address) internal override {}
}

/// @dev Holders of roles do their worst: balances in the contracts are paid out all the same.
contract PowersTest is StakesFixture {
    address internal constant APPELLANT = address(0xA99E);
    address internal constant BETTOR = address(0xBE7);
    uint256 internal constant BET = 3 ether;
    uint256 internal constant BOND = 10 ether;

    SwarmCoordinator internal coordinator;
    PrgMarket internal prg;
    PredictionMarket internal market;
    address internal rich;
    address internal proposer;
    string internal peerId;

    function setUp() public override {
        super.setUp();
        SwarmCoordinator code = new SwarmCoordinator(registry, rounds);
        bytes memory call = abi.encodeCall(SwarmCoordinator.initialize, (address(this)));
        coordinator = SwarmCoordinator(address(new ERC1967Proxy(address(code), call)));
        prg = new PrgMarket(IPeerAccounts(address(coordinator)), address(this));
        IBurnableToken token = IBurnableToken(address(nectar));
        market = new PredictionMarket(token, ISeats(address(votes)), rounds, registry, address(prg), LENGTH);
        prg.bindMarket(market);
        (rich, proposer) = (registry.accountOf(solvers[0]), registry.accountOf(solvers[1]));
        peerId = registry.peerIdOf(solvers[1]);
        stakeFor(PROPOSER, solvers[1]);
        stakeFor(EVALUATOR, evaluators[0]);
        _bet();
    }

    function test_NoRoleKeepsAnybodyFromWhatIsTheirs() public {
        // 1,000 Nectar of round 4, held by an appeal.
        commitRollouts(solvers[2]);
        voteAlike(4, scoresOf(800));
        bytes32[] memory page = new bytes32[](1);
        page[0] = solvers[2];
        votes.settle(4, 0, page);
        vm.deal(APPELLANT, FIRST_BOND);
        vm.prank(APPELLANT);
        challenges.appeal{value: FIRST_BOND}(4, solvers[2]);
        _doTheWorst();

        vm.prank(proposer);
        stakes.unstake(PROPOSER, solvers[1]);
        unstake(EVALUATOR, evaluators[0]);
        vm.warp(rounds.startOf(rounds.currentRound() + 13));
        challenges.closeAppeal(4, solvers[2]);
        challenges.withdraw(APPELLANT);
        vm.assertEq(APPELLANT.balance, FIRST_BOND);
        vm.assertEq(nectar.claim(solvers[2]), 1_000 ether);
        vm.assertEq(stakes.withdraw(PROPOSER, solvers[1]), TASKS_WEI);
        vm.assertEq(stakes.withdraw(EVALUATOR, evaluators[0]), SEAT_WEI);

        // The game has run out: stakes back, and the Judge's bond by stake.
        vm.prank(BETTOR);
        vm.assertEq(market.claim(0), BET + BOND / 2);
        uint256 before = nectar.balanceOf(proposer);
        vm.prank(proposer);
        prg.claimReward(0, peerId);
        vm.prank(proposer);
        prg.withdraw(peerId, BET);
        vm.assertEq(nectar.balanceOf(proposer) - before, 2 * BET + BOND / 2);
    }

    /// @dev Why the coordinator's upgrade waits in the timelock: PrgMarket asks it who speaks for a peer.
    function test_AnUpgradeOfTheCoordinatorReachesDepositsForPeersAndNothingElse() public {
        coordinator.upgradeToAndCall(address(new GreedyCoordinator(address(this))), "");
        prg.withdraw(peerId, BET);
        vm.assertEq(nectar.balanceOf(address(this)), BET);
        vm.warp(block.timestamp + 30 days);
        prg.claimReward(0, peerId);
        vm.assertEq(nectar.balanceOf(address(this)), 2 * BET + BOND / 2);
        vm.prank(BETTOR);
        vm.assertEq(market.claim(0), BET + BOND / 2);
        vm.assertEq(amountOf(PROPOSER, solvers[1]), TASKS_WEI);
        vm.assertEq(registry.accountOf(solvers[1]), proposer);
    }

    /// @dev A game of the rich one's, a bet on it, another by a peer, and a deposit for that.
    function _bet() internal {
        give(BETTOR, BET);
        vm.prank(rich);
        nectar.approve(address(market), type(uint256).max);
        vm.prank(BETTOR);
        nectar.approve(address(market), type(uint256).max);
        vm.prank(rich);
        nectar.approve(address(prg), type(uint256).max);
        IMarketGames.GameConfig memory config = IMarketGames.GameConfig({
            root: keccak256("root"),
            roundCount: 1,
            choiceCount: 2,
            startsAtSec: uint40(block.timestamp),
            bettingSec: LENGTH,
            revealSec: LENGTH,
            disputeSec: LENGTH,
            minBet: 1 ether,
            freeShares: 1 ether,
            bond: uint112(BOND),
            feeBps: 0
        });
        vm.prank(rich);
        market.createGame(config, "");
        vm.prank(BETTOR);
        market.bet(0, 0, 0, BET);
        vm.prank(rich);
        prg.deposit(peerId, proposer, 2 * BET);
        vm.prank(proposer);
        prg.guessAnswer(0, peerId, 0, 1, BET);
    }

    /// @dev All that roles and owners can do, and then nobody holds them any more.
    function _doTheWorst() internal {
        uint64 open = rounds.firstOpenRound();
        rounds.setSchedule(open, 1 days);
        rounds.setEnvironment(open, keccak256("another"));
        for (uint256 i = 0; i < evaluators.length; ++i) votes.removeEvaluator(evaluators[i]);
        registry.setBootnodes(new string[](0));
        coordinator.clearBootnodes();
        bytes32[4] memory names = [
            bytes32(0),
            rounds.SCHEDULE_MANAGER_ROLE(),
            rounds.ENVIRONMENT_MANAGER_ROLE(),
            rounds.ROUND_MANAGER_ROLE()
        ];
        for (uint256 i = 0; i < names.length; ++i) rounds.renounceRole(names[i], address(this));
        AccessControl[2] memory others = [AccessControl(registry), AccessControl(votes)];
        for (uint256 i = 0; i < others.length; ++i) others[i].renounceRole(bytes32(0), address(this));
        votes.renounceRole(votes.EVALUATOR_ADMIN_ROLE(), address(this));
        registry.renounceRole(registry.BOOTNODE_MANAGER_ROLE(), address(this));
        coordinator.revokeRole(coordinator.OWNER_ROLE(), address(this));
        prg.renounceOwnership();
    }
}
